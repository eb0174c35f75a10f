/** Opens all operations on testimonials, for the desk. */

import type { RequestContext } from '../domain/outcomes.ts';
import { abortable, type Table } from '../dynamodb/table.ts';
import { openChanges } from '../testimonials/changes.ts';
import { openCounts } from '../testimonials/counts.ts';
import { type ErrorLog, openCreates } from '../testimonials/creates.ts';
import { openFinds } from '../testimonials/finds.ts';
import { openListChanges } from '../testimonials/list-changes.ts';
import { ListMemory, openLists } from '../testimonials/lists.ts';
import { openLoads } from '../testimonials/loads.ts';
import { openPinnedLists } from '../testimonials/pinned-lists.ts';
import { openParts } from '../testimonials/read-all.ts';
import type { Desk } from './parts/desk.ts';

interface TestimonialsOptions {
  /** The database's time by default. */
  now?: () => Date;
  log: ErrorLog;
}

/** Opens the testimonials of a table, once for each process. */
export function openTestimonials(
  table: Table,
  { now = table.now, log }: TestimonialsOptions,
): (organization: string, request: RequestContext) => Desk['testimonials'] {
  const memory = new ListMemory();
  const creates = openCreates(table, { now, log });
  const [finds, changes] = [openFinds(table), openChanges(table, now)];
  const [counts, pinnedLists] = [openCounts(table, { memory }), openPinnedLists(table, { memory })];
  const [lists, listChanges] = [openLists(table, { memory }), openListChanges(table, { memory, now })];
  return (organization, request) => ({
    ...creates(organization, request),
    ...finds(organization, request),
    ...changes(organization, request),
    ...lists(organization, request),
    ...counts(organization, request),
    ...pinnedLists(organization, request),
    ...listChanges(organization, request),
  });
}

// Small enough that a block or a page takes much less time than a step of an import.
const sizes = { linesPerBlock: 250, pageLength: 100 };

/** Opens the operations of imports and exports, for each request. */
export function filesOf(
  table: Table,
): (organization: string, signal: AbortSignal) => Pick<Desk, 'loads' | 'readPart'> {
  return (organization, signal) => {
    const own = abortable(table, signal);
    const readPart = openParts(own);
    return {
      loads: openLoads(own, sizes)(organization),
      readPart: (from) => readPart(organization, from),
    };
  };
}
