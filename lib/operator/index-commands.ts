/** The operator's commands on the list index: rebuild, verify, explain. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from 'commander';
import * as v from 'valibot';
import { queryValues } from '../../functions/http/validate.ts';
import type { IndexHead } from '../../functions/list-index/index-store.ts';
import { listTestimonials } from '../../functions/list-index/list-testimonials.ts';
import { planList, type Read } from '../../functions/list-index/query-plan.ts';
import { rebuildIndex, removeOldGenerations } from '../../functions/list-index/rebuild.ts';
import { type Difference, verifyIndex } from '../../functions/list-index/verify.ts';
import { listQuery } from '../../functions/list-testimonials/query.ts';
import type { Table } from '../../functions/persistence/document-client.ts';
import { indexStore } from '../../functions/persistence/dynamodb-index-store.ts';
import { testimonialStore } from '../../functions/persistence/dynamodb-testimonial-store.ts';
import { costMeter } from './cost-meter.ts';
import { organizationOption, PartlyFailed, type ProgramIo } from './program-io.ts';

type Show = (value: unknown, text: () => string) => void;
type WithTable = (work: (table: Table) => Promise<void>) => Promise<void>;

// More are counted and not listed.
const differencesShown = 20;

/** Adds `index rebuild`, `index verify` and `explain` to the program. */
export function addIndexCommands(program: Command, io: ProgramIo, withTable: WithTable, show: Show): void {
  const index = program.command('index').description('Rebuild and verify the list index');
  index
    .command('rebuild')
    .description('Build the list index anew beside the old one, then switch to it')
    .addOption(organizationOption().makeOptionMandatory())
    .action(({ organization }: { organization: string }) =>
      withTable(async (table) => {
        const deps = { testimonials: testimonialStore(table), index: indexStore(table), now: io.now };
        const head = await rebuildIndex(deps, organization, (testimonials) =>
          io.printError(`${testimonials.toLocaleString('en')} testimonials indexed`),
        );
        io.printError('Removing the old index, once no list reads it');
        const removed = await removeOldGenerations(deps, organization, head.generation, wait);
        show({ ...head, removed }, () => `Index of ${organization} rebuilt: generation ${head.generation}`);
      }),
    );
  index
    .command('verify')
    .description('Compare the list index with the testimonials, reading the whole table')
    .addOption(organizationOption().makeOptionMandatory())
    .action(({ organization }: { organization: string }) =>
      withTable(async (table) => {
        const deps = { testimonials: testimonialStore(table), index: indexStore(table) };
        const found: Difference[] = [];
        let count = 0;
        const result = await verifyIndex(
          deps,
          organization,
          (difference) => {
            count += 1;
            if (found.length < differencesShown) found.push(difference);
          },
          (testimonials) => io.printError(`${testimonials.toLocaleString('en')} testimonials read`),
        );
        show({ ...result, differences: count, first: found }, () =>
          [
            `${result.testimonials} testimonials and ${result.postings} postings compared: ${count} differences`,
            ...found.map(
              ({ kind, ordinal, posting }) => `  ${kind}: ${JSON.stringify(posting)} ordinal ${ordinal}`,
            ),
            ...(count > found.length ? [`  and ${count - found.length} more`] : []),
          ].join('\n'),
        );
        if (count > 0) throw new PartlyFailed();
      }),
    );

  program
    .command('explain')
    .description('Show how a list is answered and what it costs in a warm function')
    .argument('<query>', "the list's parameters, as in 'status=approved&search=great&page=3'")
    .addOption(organizationOption().makeOptionMandatory())
    .action((text: string, { organization }: { organization: string }) =>
      withTable(async (table) => {
        const parsed = v.safeParse(listQuery, queryValues(text), { abortPipeEarly: true });
        if (!parsed.success) {
          throw new Error(parsed.issues.map((issue) => `${v.getDotPath(issue)} ${issue.message}`).join('; '));
        }
        const { query } = parsed.output;
        const heads = new Map<string, IndexHead>();
        const deps = { testimonials: testimonialStore(table), index: indexStore(table), heads };
        // Once without counting: a warm function knows the head.
        await listTestimonials(deps, organization, query);
        const meter = costMeter(table.client);
        const { rows, total } = await listTestimonials(deps, organization, query);
        const plan = planList(query);
        const cost = meter.cost();
        show({ organization, query, plan, rows, total, cost }, () =>
          [
            `all of   ${plan.allOf.map(({ anyOf }) => anyOf.map(readText).join(' or ')).join('\n         ')}`,
            ...(plan.inTurn.length > 0 ? [`in turn  ${plan.inTurn.join(', ')}`] : []),
            `rows     ${rows}`,
            `total    ${total}`,
            `cost     ${cost.units} read units, ${cost.requests} requests in ${cost.rounds} rounds`,
          ].join('\n'),
        );
      }),
    );
}

function readText(read: Read): string {
  return 'term' in read ? read.term : `words from ${read.wordsFrom}`;
}
