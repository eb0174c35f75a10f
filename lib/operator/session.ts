/** What the operator's commands and pages work on: a table, and one of its organizations. */
import type { OrganizationStore, TestimonialStore, TokenStore } from '../../functions/domain/stores.ts';
import type { IndexStore } from '../../functions/list-index/index-store.ts';
import { ListMemory } from '../../functions/list-index/read/memory.ts';
import { indexStore } from '../../functions/persistence/dynamodb-index-store.ts';
import { organizationStore } from '../../functions/persistence/dynamodb-organization-store.ts';
import { testimonialStore } from '../../functions/persistence/dynamodb-testimonial-store.ts';
import { tokenStore } from '../../functions/persistence/dynamodb-token-store.ts';
import type { Table } from '../../functions/persistence/table.ts';
import { type ImportJobStore, isUnended } from './import/import-job.ts';
import { importJobStore } from './import/import-store.ts';
import { unendedText } from './import/report.ts';
import type { ProgramIo } from './terminal/program-io.ts';

/** The stores of a table, and the time as its database tells it. */
export interface Operator {
  table: Table;
  now: () => Date;
  /** This machine's time, in milliseconds. */
  clock: () => number;
  testimonials: TestimonialStore;
  index: IndexStore;
  tokens: TokenStore;
  organizations: OrganizationStore;
  jobs: ImportJobStore;
}

export function operatorOf(table: Table, clock: () => number = Date.now): Operator {
  return {
    table,
    now: table.now,
    clock,
    testimonials: testimonialStore(table),
    index: indexStore(table),
    tokens: tokenStore(table),
    organizations: organizationStore(table),
    jobs: importJobStore(table),
  };
}

export interface Session extends Operator {
  organization: string;
  /** What lists before have read. */
  memory: ListMemory;
  /** Says so where the organization never had a token: its name may be misspelt. */
  warnOfUnknown(): Promise<void>;
  /**
   * Says so where an import or a seed has not ended: what is read is not all there is.
   * @returns whether that is so
   */
  warnOfLoading(): Promise<boolean>;
  /**
   * Says so where an import has stored a part of a file.
   * @throws where an import or a seed has stored what lists do not have yet: what is made of it would look whole
   */
  refuseWhileLoading(): Promise<void>;
}

export function sessionOf(
  operator: Operator,
  organization: string,
  { printError }: Pick<ProgramIo, 'printError'>,
): Session {
  return {
    ...operator,
    organization,
    memory: new ListMemory(),
    async warnOfUnknown() {
      if ((await operator.organizations.list()).includes(organization)) return;
      printError(`No token was ever issued for ${organization}: is that its name?`);
    },
    async warnOfLoading() {
      const load = await unendedLoad(operator, organization);
      if (load) printError(load.line);
      return load !== undefined;
    },
    async refuseWhileLoading() {
      const load = await unendedLoad(operator, organization);
      if (load?.isHidden) throw new Error(load.line);
      if (load) printError(load.line);
    },
  };
}

/**
 * What is said where an import or a seed has not ended; undefined where all of them have.
 * `isHidden`: what it stored is in no list.
 */
async function unendedLoad(
  { index, jobs, now }: Operator,
  organization: string,
): Promise<{ line: string; isHidden: boolean } | undefined> {
  const load = (await index.readHead(organization))?.load;
  const all = (await jobs.all(organization)).filter(isUnended);
  const unended = load === undefined ? all[0] : all.find(({ name }) => name === load);
  const line = unended && unendedText(unended, organization, now());
  if (load === undefined) return line === undefined ? undefined : { line, isHidden: false };
  const show = `Lists have nothing of it yet; what it stored is shown by index rebuild --organization ${organization}.`;
  const seed = `An import or a seed of ${organization} has not ended: wait for it, or run it again where it was stopped.`;
  return { line: `${line ?? seed} ${show}`, isHidden: true };
}
