/** The stores that commands and the check of a deployment share. */
import { deskStore } from '../../functions/persistence/dynamodb-desk-store.ts';
import { organizationStore } from '../../functions/persistence/dynamodb-organization-store.ts';
import { pageStore } from '../../functions/persistence/dynamodb-page-store.ts';
import { tokenStore } from '../../functions/persistence/dynamodb-token-store.ts';
import type { Table } from '../../functions/persistence/table.ts';
import { openChanges } from '../../functions/testimonials/changes.ts';
import { openMaintenance } from '../../functions/testimonials/maintenance.ts';
import { indexStore } from '../../functions/testimonials/table/index-store.ts';
import { testimonialStore } from '../../functions/testimonials/table/testimonial-store.ts';

/** The stores of a table, and the clock of its database. */
export type TableStores = ReturnType<typeof tableStores>;

/** @param clock this machine's time, in milliseconds */
export function tableStores(table: Table, clock: () => number = Date.now) {
  return {
    table,
    now: table.now,
    clock,
    testimonials: testimonialStore(table),
    index: indexStore(table),
    changesOf: openChanges(table),
    maintenanceOf: openMaintenance(table),
    tokens: tokenStore(table),
    organizations: organizationStore(table),
    desks: deskStore(table),
    pages: pageStore(table),
  };
}
