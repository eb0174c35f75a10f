/** Keeps the list index: updates the indexes of the organizations that the table's stream names. */
import type { Logger } from '@aws-lambda-powertools/logger';
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { forEachAtOnce, updatesAtOnce } from '../concurrency.ts';
import type { TestimonialStore } from '../domain/stores.ts';
import { termsVersion } from '../list-index/terms-version.ts';
import { FencedOff } from '../list-index/write/posting-edits.ts';
import { type RenewalDependencies, renewIndexes } from '../list-index/write/renew-indexes.ts';
import { type IndexUpdateReport, keepIndex, NewerTerms } from '../list-index/write/update-index.ts';
import { type IndexUpdateOptions, shareOfStep } from '../list-index/write/update-step.ts';
import { unreadableLog } from '../persistence/unreadable-log.ts';
import { indexTurnMs } from '../timing.ts';
import { type OrganizationRecords, organizationsOf, renewalIn, rewrittenIn } from './stream-records.ts';

export interface IndexDependencies extends RenewalDependencies {
  logger: Logger;
}

/** What the log has of an organization whose index was updated, or waits for it. CloudWatch makes metrics of the fields. */
export interface IndexUpdateLine extends Omit<IndexUpdateReport, 'terms' | 'isBeingRebuilt'> {
  organization: string;
  /** Its postings were made by other rules than those of this version. */
  hasOtherTerms?: true;
}

/** What an organization may do of a batch's time: no step begins after it, and a step takes no more. */
type Turn = Required<IndexUpdateOptions>;

/** A Lambda handler of the stream, as the Node.js runtime calls it. */
export type IndexLambdaHandler = (event: Partial<DynamoDBStreamEvent>) => Promise<DynamoDBBatchResponse>;

/**
 * Builds the handler. An event without records, as a deployment sends, asks for all indexes to be rebuilt that were made by
 * other rules. It waits for nothing: an organization with something left to update the index, now or later, is asked for
 * again by a request of its own, behind those that wait in the stream. Only when even that fails, its records are
 * reported as failed and come again.
 */
export function createHandler({ logger, ...deps }: IndexDependencies): IndexLambdaHandler {
  const onUnreadable = unreadableLog(logger);

  /** Updates the index of an organization; returns whether it has to be indexed again. */
  async function updateIndex(organization: string, { until, limits }: Turn): Promise<boolean> {
    // A batch of many organizations ends in time: the rest have a batch of their own.
    if (deps.now().getTime() >= until) return true;
    try {
      const report = await keepIndex(deps, organization, { until, limits });
      const { terms, isBeingRebuilt: _, ...work } = report;
      const hasOtherTerms = terms !== termsVersion;
      if (work.steps > 0 || work.lagMs > 0 || hasOtherTerms) {
        const line: IndexUpdateLine = { organization, ...work, ...(hasOtherTerms && { hasOtherTerms }) };
        logger.info('Organization indexed', { ...line });
      }
      return work.left;
    } catch (error) {
      if (error instanceof FencedOff) return true;
      const hasOtherTerms = error instanceof NewerTerms;
      logger.error('Indexing failed', {
        organization,
        error: String(error),
        ...(hasOtherTerms && { hasOtherTerms }),
      });
      return true;
    }
  }

  /** Goes on with the renewal of all list indexes; returns whether that failed. */
  async function renew(until: number): Promise<boolean> {
    try {
      const organizations = await renewIndexes(deps, { until, onUnreadable });
      if (organizations.length > 0) logger.info('Rebuilding by the rules of this version', { organizations });
      return false;
    } catch (error) {
      logger.error('Rebuilding cannot go on', { error: String(error) });
      return true;
    }
  }

  return async ({ Records }) => {
    const until = deps.now().getTime() + indexTurnMs;
    if (!Records) {
      await deps.renewals.begin(deps.now());
      return { batchItemFailures: [] };
    }
    // Before anything that can run out of time.
    const batchItemFailures = await logErasures({ ...deps, logger }, Records);
    const renewal = renewalIn(Records);
    if (renewal !== undefined && (await renew(until))) batchItemFailures.push({ itemIdentifier: renewal });
    const organizations = organizationsOf(Records);
    const turn = { until, limits: shareOfStep(Math.min(updatesAtOnce, organizations.length)) };
    const updateOrAskAgain = async ({ organization, firstSequenceNumber }: OrganizationRecords) => {
      if (!(await updateIndex(organization, turn))) return;
      await deps.index.requestIndexUpdate(organization, deps.now()).catch((error: unknown) => {
        logger.error('Indexing cannot be asked for again', { organization, error: String(error) });
        batchItemFailures.push({ itemIdentifier: firstSequenceNumber });
      });
    };
    await forEachAtOnce(organizations, updateOrAskAgain, updatesAtOnce);
    return { batchItemFailures };
  };
}

/** Logged with `organization` and `id` of each erased testimonial, and with nothing else; the operator's replay looks for it. */
export const erasedMessage = 'Testimonial erased';

/**
 * Logs the erased ones of the testimonials that were written anew, at least once each.
 * @returns the first record of each organization whose testimonials could not be read: it has to come again
 */
export async function logErasures(
  { testimonials, logger }: { testimonials: Pick<TestimonialStore, 'findErased'>; logger: Logger },
  records: readonly DynamoDBRecord[],
): Promise<DynamoDBBatchResponse['batchItemFailures']> {
  const failures: DynamoDBBatchResponse['batchItemFailures'] = [];
  await forEachAtOnce(rewrittenIn(records), async ({ organization, ordinals, firstSequenceNumber }) => {
    try {
      const erased = await testimonials.findErased(organization, ordinals);
      for (const id of erased) logger.info(erasedMessage, { organization, id });
    } catch (error) {
      logger.error('Erasures cannot be logged', { organization, error: String(error) });
      failures.push({ itemIdentifier: firstSequenceNumber });
    }
  });
  return failures;
}
