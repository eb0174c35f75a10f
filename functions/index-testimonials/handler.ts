/** Updates the list indexes of the organizations in the table's stream, and logs erasures. */
import type { Logger } from '@aws-lambda-powertools/logger';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { isOfCheck } from '../domain/token.ts';
import { unreadableLog } from '../domain/unreadable.ts';
import { ordinalOfTestimonialKey, renewalRequestKey } from '../persistence/keys.ts';
import { termsVersion } from '../testimonials/list-index/terms-version.ts';
import { FencedOff } from '../testimonials/list-index/write/posting-edits.ts';
import { type RenewalDependencies, renewIndexes } from '../testimonials/list-index/write/renew-indexes.ts';
import {
  type IndexUpdateReport,
  keepIndex,
  NewerTerms,
} from '../testimonials/list-index/write/update-index.ts';
import { type IndexUpdateOptions, shareOfStep } from '../testimonials/list-index/write/update-step.ts';
import {
  byOrganization,
  type ItemRecord,
  isReplacedTestimonial,
  itemRecords,
} from '../testimonials/table/stream-records.ts';
import { forEachAtOnce, indexTurnMs, updatesAtOnce } from '../timing.ts';

export interface IndexDependencies extends RenewalDependencies {
  logger: Logger;
}

/**
 * The log line of an organization whose index was updated or needs an update. CloudWatch derives metrics from
 * its fields.
 */
export interface IndexUpdateLine extends Omit<IndexUpdateReport, 'terms' | 'isBeingRebuilt'> {
  organization: string;
  /** Set if its postings were built with the rules of another version. */
  hasOtherTerms?: true;
}

/**
 * Builds the handler. It never waits. If an organization needs another update, now or later, the handler
 * writes a request, which returns through the stream after the records before it. If that write fails, the
 * handler reports the organization's records as failed, and the stream repeats them.
 *
 * A deployment sends an event without records. It starts the rebuild of every index that was built with other
 * rules.
 */
export function createHandler({ logger, ...deps }: IndexDependencies) {
  const onUnreadable = unreadableLog(logger);

  /**
   * Updates the index of an organization in its share of the invocation. Returns true if it needs another
   * update.
   */
  async function updateIndex(organization: string, turn: Required<IndexUpdateOptions>): Promise<boolean> {
    // Each remaining organization of a large batch requests another update.
    if (deps.now().getTime() >= turn.until) return true;
    try {
      const { terms, isBeingRebuilt: _, ...work } = await keepIndex(deps, organization, turn);
      const hasOtherTerms = terms !== termsVersion;
      if (work.steps > 0 || work.lagMs > 0 || hasOtherTerms) {
        const line: IndexUpdateLine = { organization, ...work, ...(hasOtherTerms && { hasOtherTerms }) };
        logger.info('Organization indexed', { ...line });
      }
      return work.hasMore;
    } catch (error) {
      if (error instanceof FencedOff) return true;
      const otherTerms = error instanceof NewerTerms && { hasOtherTerms: true };
      logger.error('Indexing failed', { organization, error: String(error), ...otherTerms });
      return true;
    }
  }

  /** Continues the renewal of all list indexes. Returns true if that failed. */
  async function renew(until: number): Promise<boolean> {
    try {
      const organizations = await renewIndexes(deps, { until, onUnreadable });
      if (organizations.length > 0) {
        logger.info('Rebuilding with the rules of this version', { organizations });
      }
      return false;
    } catch (error) {
      logger.error('Rebuilding failed', { error: String(error) });
      return true;
    }
  }

  return async ({ Records }: Partial<DynamoDBStreamEvent>): Promise<DynamoDBBatchResponse> => {
    const until = deps.now().getTime() + indexTurnMs;
    if (!Records) {
      await deps.renewals.begin(deps.now());
      return { batchItemFailures: [] };
    }
    const items = itemRecords(Records);
    // First, because index updates can run out of time.
    const batchItemFailures = await logErasures({ ...deps, logger }, items);
    const renewal = Records.find(({ dynamodb }) => dynamodb?.Keys?.PK?.S === renewalRequestKey.PK);
    if (renewal && (await renew(until))) {
      batchItemFailures.push({ itemIdentifier: renewal.dynamodb?.SequenceNumber ?? '' });
    }
    // A replaced testimonial needs no update: its change marker has a record of its own.
    const organizations = byOrganization(items.filter((item) => !isReplacedTestimonial(item)));
    const turn = { until, limits: shareOfStep(Math.min(updatesAtOnce, organizations.size)) };
    const updateOrRequest = async ([organization, records]: [string, ItemRecord[]]) => {
      if (!(await updateIndex(organization, turn))) return;
      await deps.index.requestIndexUpdate(organization, deps.now()).catch((error: unknown) => {
        logger.error('The next index update cannot be requested', { organization, error: String(error) });
        batchItemFailures.push(failureAt(records));
      });
    };
    await forEachAtOnce(organizations, updateOrRequest, updatesAtOnce);
    return { batchItemFailures };
  };
}

/**
 * Logged with only the `organization` and `id` of each erased testimonial. `testimonial erase --replay` reads
 * these lines.
 */
export const erasedMessage = 'Testimonial erased';

/**
 * Logs each erased testimonial at least once. A restored backup brings erased testimonials back, and the
 * operator erases them again from this log (docs/recovery.md, “Restore from a backup”). The organizations of
 * a check have no erasures to repeat.
 * @returns the first record of each organization whose testimonials could not be read, for the stream to
 * repeat
 */
async function logErasures(
  { testimonials, logger }: Pick<IndexDependencies, 'testimonials' | 'logger'>,
  items: readonly ItemRecord[],
): Promise<DynamoDBBatchResponse['batchItemFailures']> {
  const failures: DynamoDBBatchResponse['batchItemFailures'] = [];
  const isOurs = ({ organization }: ItemRecord) => !isOfCheck(organization);
  const replaced = byOrganization(items.filter(isReplacedTestimonial).filter(isOurs));
  await forEachAtOnce(replaced, async ([organization, records]) => {
    try {
      const ordinals = records.map(({ sortKey }) => ordinalOfTestimonialKey(sortKey));
      const erased = await testimonials.findErased(organization, ordinals);
      for (const id of erased) logger.info(erasedMessage, { organization, id });
    } catch (error) {
      logger.error('Erasures cannot be logged', { organization, error: String(error) });
      failures.push(failureAt(records));
    }
  });
  return failures;
}

function failureAt([first]: readonly ItemRecord[]) {
  return { itemIdentifier: first?.sequenceNumber ?? '' };
}
