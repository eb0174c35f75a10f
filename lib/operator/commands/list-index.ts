/** The operator's commands on the list index: status, rebuild, verify. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { coveredBy, noIndex } from '../../../functions/list-index/index-store.ts';
import { termsVersion } from '../../../functions/list-index/index-terms.ts';
import { foldOrganization, takingAll } from '../../../functions/list-index/write/fold.ts';
import { removeOldGenerations } from '../../../functions/list-index/write/generations.ts';
import { FencedOff } from '../../../functions/list-index/write/posting-edits.ts';
import { rebuildIndex } from '../../../functions/list-index/write/rebuild.ts';
import {
  type Difference,
  type Verification,
  verifyIndex,
} from '../../../functions/list-index/write/verify.ts';
import {
  type CommandContext,
  examples,
  interruptible,
  type Operator,
  organizationOption,
  PartlyFailed,
  refuseWhileLoading,
} from '../command-context.ts';
import { counted } from '../terminal/formatting.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { displayed } from '../terminal/terminal-text.ts';

// More are counted and not listed.
const differencesShown = 20;

/** Adds `index status`, `index rebuild` and `index verify` to the program. */
export function addIndexCommands(program: Command, { io, withOperator, show }: CommandContext): void {
  const index = program.command('index').description('Look at, rebuild and verify the list index');
  const everyOption = () =>
    new Option('--all', 'every organization').conflicts('organization').default(undefined);
  /** The organization named, or all. */
  const chosen = async ({ organizations }: Operator, options: { organization?: string; all?: true }) => {
    if (options.organization !== undefined) return [options.organization];
    if (!options.all) throw new Error('Name an organization with --organization, or take --all.');
    return organizations.list();
  };

  index
    .command('status')
    .description('Show how far the list index is')
    .addOption(organizationOption())
    .addOption(everyOption())
    .addHelpText('after', examples('index status --organization demo', 'index status --all'))
    .action((options: { organization?: string; all?: true }) =>
      withOperator(async (operator) => {
        const found: IndexStatus[] = [];
        for (const organization of await chosen(operator, options)) {
          found.push(await statusOf(operator, organization));
        }
        show(found, () => found.map(statusText).join('\n'));
      }),
    );
  index
    .command('rebuild')
    .description('Build the list index anew beside the old one, then switch to it')
    .addOption(organizationOption())
    .addOption(everyOption())
    .addHelpText('after', examples('index rebuild --organization demo', 'index rebuild --all'))
    .action((options: { organization?: string; all?: true }) =>
      withOperator(async (operator) => {
        const organizations = await chosen(operator, options);
        // By its name, what a load has stored is shown, and the load given up.
        const rebuildable = options.all ? await withoutLoads(io, operator, organizations) : organizations;
        await rebuildAll(io, operator, rebuildable);
        const rebuilt: IndexStatus[] = [];
        for (const organization of rebuildable) rebuilt.push(await statusOf(operator, organization));
        show(rebuilt, () => rebuilt.map(statusText).join('\n'));
      }),
    );
  index
    .command('verify')
    .description('Compare the list index with the testimonials')
    .addOption(organizationOption().makeOptionMandatory())
    .option('--repair', 'rebuild it where it differs, which also removes what is left of erased testimonials')
    .addHelpText(
      'after',
      examples('index verify --organization demo', 'index verify --organization demo --repair'),
    )
    .action(({ organization, repair = false }: { organization: string; repair?: boolean }) =>
      withOperator(async (operator) => {
        await refuseWhileLoading(operator, io, organization);
        let verified = await verify(io, operator, organization);
        if (repair && verified.differs) {
          io.printError(verifiedText(organization, verified));
          await rebuildAll(io, operator, [organization]);
          verified = await verify(io, operator, organization);
        }
        const { result, count, first } = verified;
        show({ ...result, differences: count, first }, () => verifiedText(organization, verified));
        if (verified.differs) throw new PartlyFailed();
      }),
    );
}

interface Verified {
  result: Verification;
  /** Of the differences. */
  count: number;
  /** Some of them. */
  first: Difference[];
  differs: boolean;
}

async function verify(
  { printError }: ProgramIo,
  operator: Operator,
  organization: string,
): Promise<Verified> {
  const first: Difference[] = [];
  let count = 0;
  const result = await verifyIndex(
    operator,
    organization,
    (difference) => {
      count += 1;
      if (first.length < differencesShown) first.push(difference);
    },
    (testimonials) => printError(`${counted(testimonials, 'testimonial')} read`),
  );
  return { result, count, first, differs: count > 0 || result.otherGenerations > 0 };
}

function verifiedText(organization: string, { result, count, first }: Verified): string {
  const { testimonials, postings, otherGenerations, tail } = result;
  return [
    `${counted(testimonials, 'testimonial')} and ${counted(postings, 'posting')} compared: ${counted(count, 'difference')}`,
    ...(otherGenerations > 0
      ? [
          `${counted(otherGenerations, 'other generation')} of postings left by a rebuild that was stopped: run index rebuild --organization ${organization}`,
        ]
      : []),
    ...(tail > 0 ? [`${counted(tail, 'testimonial')} not in the index yet`] : []),
    ...first.map((each) => `  ${differenceText(each)}`),
    ...(count > first.length ? [`  and ${(count - first.length).toLocaleString('en')} more`] : []),
  ].join('\n');
}

function differenceText(difference: Difference): string {
  const { kind, at } = difference;
  return 'posting' in difference
    ? `${kind}: ${displayed(JSON.stringify(difference.posting))} at ${at}`
    : `${kind}: the testimonial at ${at.toLocaleString('en')} in the order of ${difference.axis}`;
}

interface IndexStatus {
  organization: string;
  generation: number;
  /** Testimonials with a lower ordinal are in the postings. */
  indexed: number;
  /** Testimonials and changes that are not in the postings yet. */
  tail: number;
  changes: number;
  /** False when the postings were made by other rules than those of this version. */
  isCurrent: boolean;
  isBeingRebuilt: boolean;
  /** True while an import or a seed has stored what lists do not have yet. */
  isLoading: boolean;
}

async function statusOf({ index, now }: Operator, organization: string): Promise<IndexStatus> {
  const head = (await index.readHead(organization)) ?? noIndex;
  const { tail, markers } = await index.readRecent(organization, head.indexed);
  const isCovered = coveredBy(head);
  return {
    organization,
    generation: head.generation,
    indexed: head.indexed,
    tail: tail.length,
    changes: markers.filter(({ updateOrdinal }) => !isCovered.has(updateOrdinal)).length,
    isCurrent: head.terms === termsVersion,
    isBeingRebuilt: head.building !== undefined && head.building.until > now().getTime(),
    isLoading: head.isLoading === true,
  };
}

function statusText({
  organization,
  indexed,
  tail,
  changes,
  isCurrent,
  isBeingRebuilt,
  isLoading,
}: IndexStatus): string {
  const number = (value: number) => value.toLocaleString('en');
  return [
    `${organization}: indexed up to ordinal ${number(indexed - 1)}`,
    `${counted(tail, 'testimonial')} and ${counted(changes, 'change')} not yet`,
    ...(isCurrent ? [] : [`made by older rules: run index rebuild --organization ${organization}, or --all`]),
    ...(isBeingRebuilt ? ['being rebuilt'] : []),
    ...(isLoading
      ? ['an import or seed has not ended: run it again, or show what it stored by index rebuild']
      : []),
  ].join('; ');
}

/** The organizations of which no load is under way: the end of one makes the index itself. */
async function withoutLoads(
  { printError }: ProgramIo,
  { index }: Operator,
  organizations: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for (const organization of organizations) {
    if ((await index.readHead(organization))?.isLoading) {
      printError(`${organization}: left alone, an import or a seed has not ended, which makes its index`);
    } else found.push(organization);
  }
  return found;
}

/** Rebuilds the indexes of some organizations, and removes what no list reads any more. */
async function rebuildAll(
  io: ProgramIo,
  operator: Operator,
  organizations: readonly string[],
): Promise<void> {
  let whatNext = 'Lists read the old postings as before; another rebuild begins anew.';
  await interruptible(
    io,
    () => whatNext,
    async () => {
      for (const organization of organizations) {
        await rebuild(operator, organization, (step) => io.printError(`${organization}: ${step}`));
      }
      whatNext = 'Lists read the new postings; the old ones are left until another rebuild, or an erasure.';
      // Once for all of them.
      let waited: Promise<unknown> | undefined;
      const waitOnce = (milliseconds: number) => {
        if (!waited) io.printError('Removing the old postings, once no list reads them');
        waited ??= (io.sleep ?? wait)(milliseconds);
        return waited;
      };
      for (const organization of organizations) {
        const head = (await operator.index.readHead(organization)) ?? noIndex;
        await removeOldGenerations(operator.index, organization, head, waitOnce);
      }
    },
  );
}

async function rebuild(operator: Operator, organization: string, say: (line: string) => void): Promise<void> {
  await rebuildIndex(operator, organization, (testimonials) =>
    say(`${counted(testimonials, 'testimonial')} indexed`),
  );
  // What came meanwhile, and what was never indexed, as far as it has settled. The index function may be at it.
  await foldOrganization(operator, organization, takingAll).catch((error: unknown) => {
    if (!(error instanceof FencedOff)) throw error;
  });
}
