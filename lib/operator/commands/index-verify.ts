/** The operator's command `index verify`: whether the list index has what the testimonials say. */
import type { Command } from 'commander';
import {
  type Difference,
  type Verification,
  verifyIndex,
} from '../../../functions/list-index/write/verify.ts';
import { type CommandContext, organizationCommand, PartlyFailed } from '../command-context.ts';
import type { Session } from '../session.ts';
import { counted, joined } from '../terminal/formatting.ts';
import { displayed } from '../terminal/terminal-text.ts';
import { rebuildAll } from './index-rebuild.ts';

// More are counted and not listed.
const differencesShown = 20;

/** Adds `index verify` to the commands on the list index. */
export function addVerifyCommand(index: Command, { io, onOrganization, show }: CommandContext): void {
  organizationCommand(index, {
    name: 'verify',
    description: 'Compare the list index with the testimonials',
    examples: ['index verify --organization demo', 'index verify --organization demo --repair'],
  })
    .option('--repair', 'rebuild it where it differs, which also removes what is left of erased testimonials')
    .action(({ organization, repair = false }: { organization: string; repair?: boolean }) =>
      onOrganization(organization, async (session) => {
        const onRead = (read: number) => io.printError(`${counted(read, 'testimonial')} read`);
        await session.refuseWhileLoading();
        let verified = await verify(session, onRead);
        if (repair && verified.differs) {
          io.printError(verifiedText(organization, verified));
          await rebuildAll(io, session, [organization]);
          verified = await verify(session, onRead);
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

async function verify(session: Session, onRead: (testimonials: number) => void): Promise<Verified> {
  const first: Difference[] = [];
  let count = 0;
  const onDifference = (difference: Difference) => {
    count += 1;
    if (first.length < differencesShown) first.push(difference);
  };
  const result = await verifyIndex(session, session.organization, onDifference, onRead);
  return { result, count, first, differs: count > 0 || result.otherGenerations > 0 };
}

function verifiedText(organization: string, { result, count, first }: Verified): string {
  const { testimonials, postings, otherGenerations, tail } = result;
  const left = `${counted(otherGenerations, 'other generation')} of postings left by a rebuild that was stopped: run index rebuild --organization ${organization}`;
  return joined([
    `${counted(testimonials, 'testimonial')} and ${counted(postings, 'posting')} compared: ${counted(count, 'difference')}`,
    otherGenerations > 0 && left,
    tail > 0 && `${counted(tail, 'testimonial')} not in the index yet`,
    ...first.map((each) => `  ${differenceText(each)}`),
    count > first.length && `  and ${(count - first.length).toLocaleString('en')} more`,
  ]);
}

function differenceText(difference: Difference): string {
  const { kind, at } = difference;
  return 'posting' in difference
    ? `${kind}: ${displayed(JSON.stringify(difference.posting))} at ${at}`
    : `${kind}: the testimonial at ${at.toLocaleString('en')} in the order of ${difference.axis}`;
}
