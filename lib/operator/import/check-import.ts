/** Checking all that an import has to say, before anything of it is decided. */
import { firstPlace } from '../../../functions/domain/testimonial-order.ts';
import { isEmpty } from '../load/load-testimonials.ts';
import { type CheckedFile, checkFile, fingerprintOf, type Source } from './check-file.ts';
import type { ImportDependencies, ImportOptions } from './import-dependencies.ts';
import type { ImportJob, LineRules } from './import-job.ts';
import type { Proposal } from './propose-reading.ts';
import { type RejectedLines, rejectedLines } from './rejected-lines.ts';
import { lastRound } from './rounds.ts';

/** A file that was checked, for an import that was begun before or now. */
export interface Begun {
  /** How it could be read better. */
  proposal?: Proposal;
  name: string;
  job: ImportJob | undefined;
  /** When it began, ISO 8601. */
  time: string;
  /** Nothing was ever stored in the organization. */
  isEmpty: boolean;
  rules: LineRules;
  checked: CheckedFile;
  rejected: RejectedLines;
}

/** Checks all lines; by the same rules in each run of an import. */
export async function checkAll(
  deps: ImportDependencies,
  organization: string,
  source: Source & ImportOptions,
): Promise<Begun> {
  const { copy, asNew, file } = source;
  const fingerprint = fingerprintOf(source, asNew ? 'as new' : 'as it was');
  const { name, job } = await lastRound(deps, organization, fingerprint);
  const time = job?.time ?? deps.now().toISOString();
  const isOpen = !job || job.step === 'begun';
  const isFirst = isOpen && (await isEmpty(deps, organization, name));
  const own =
    job && 'rules' in job
      ? job.rules
      : { areDated: false, ...(isOpen && !isFirst && !asNew && (await latestOf(deps, organization))) };
  const check = async (rules: LineRules) => {
    const rejected = rejectedLines(file);
    const onBytes = (bytes: number) => deps.progress(bytes, copy.size, 'checked');
    const checked = await checkFile(source, rules, { now: new Date(time), rejected, onBytes });
    return { name, job, time, isEmpty: isFirst, rules, checked, rejected };
  };
  const begun = await check(own);
  const { dated, times } = begun.checked;
  const isMixed = isOpen && !isFirst && !asNew && dated > 0 && dated < times.createdAt.length;
  if (!isMixed) return begun;
  // Those without a time would be created now, and cannot stand among the others.
  begun.rejected.discard();
  return check({ ...own, areDated: true });
}

/** What no line of the past may be later than. */
async function latestOf(
  { testimonials }: Pick<ImportDependencies, 'testimonials'>,
  organization: string,
): Promise<Pick<LineRules, 'latest' | 'isChange'>> {
  const { firstTime, ordinal = 0 } = (await testimonials.counted(organization)) ?? {};
  if (firstTime === undefined) return {};
  return { latest: firstTime, ...(ordinal < firstPlace && { isChange: true }) };
}
