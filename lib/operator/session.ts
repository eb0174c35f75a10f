/** What the operator's commands and pages work on: a table, and one of its organizations. */
import { ListMemory } from '../../functions/list-index/read/memory.ts';
import { deskStore } from '../../functions/persistence/dynamodb-desk-store.ts';
import { indexStore } from '../../functions/persistence/dynamodb-index-store.ts';
import { organizationStore } from '../../functions/persistence/dynamodb-organization-store.ts';
import { testimonialStore } from '../../functions/persistence/dynamodb-testimonial-store.ts';
import { tokenStore } from '../../functions/persistence/dynamodb-token-store.ts';
import type { Table } from '../../functions/persistence/table.ts';
import { isUnended } from './import/import-job.ts';
import { importJobStore } from './import/import-store.ts';
import { unendedText } from './import/report.ts';
import type { ProgramIo } from './terminal/program-io.ts';

/** The stores of a table, and the time as its database tells it. */
export type Operator = ReturnType<typeof operatorOf>;

/** @param clock this machine's time, in milliseconds */
export function operatorOf(table: Table, clock: () => number = Date.now) {
  return {
    table,
    now: table.now,
    clock,
    testimonials: testimonialStore(table),
    index: indexStore(table),
    tokens: tokenStore(table),
    organizations: organizationStore(table),
    desks: deskStore(table),
    jobs: importJobStore(table),
  };
}

/** The same for one organization. */
export type Session = ReturnType<typeof sessionOf>;

/** @param memory what lists before have read */
export function sessionOf(
  operator: Operator,
  organization: string,
  { printError }: Pick<ProgramIo, 'printError'>,
  memory = new ListMemory(),
) {
  const isKnown = async () => (await operator.organizations.list()).includes(organization);
  return {
    ...operator,
    organization,
    memory,
    /** Says so where the organization never had a token: its name may be misspelt. */
    async warnOfUnknown(): Promise<void> {
      if (!(await isKnown())) printError(`No token was ever issued for ${organization}: is that its name?`);
    },
    /** @throws where it never had one, and what a command makes would look like all that it has */
    async refuseUnknown(): Promise<void> {
      if (!(await isKnown()))
        throw new Error(`There is no organization ${organization}: token list names them.`);
    },
    /**
     * Says so where an import or a seed has not ended: what is read is not all there is.
     * @returns whether that is so
     */
    async warnOfLoading(): Promise<boolean> {
      const load = await unendedLoad(operator, organization);
      if (load) printError(load.line);
      return load !== undefined;
    },
    /**
     * Says so where an import has stored a part of a file.
     * @throws where an import or a seed has stored what lists do not have yet: what is made of it would look whole
     */
    async refuseWhileLoading(): Promise<void> {
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
  const unended = all.find(({ name }) => load === undefined || name === load);
  const line = unended && unendedText(unended, organization, now());
  if (load === undefined) return line === undefined ? undefined : { line, isHidden: false };
  const show = `Lists have nothing of it yet; what it stored is shown by index rebuild --organization ${organization}.`;
  const seed = `An import or a seed of ${organization} has not ended: wait for it, or run it again where it was stopped.`;
  return { line: `${line ?? seed} ${show}`, isHidden: true };
}
