/** Updates the list indexes of the organizations in the table's stream, and logs erasures. */
import type { Logger } from '@aws-lambda-powertools/logger';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { forEachAtOnce } from '../concurrency.ts';
import { NewerTerms, type StreamChange } from '../domain/outcomes.ts';
import { isCheckOrganization } from '../domain/token.ts';
import { unreadableLog } from '../domain/unreadable.ts';
import type { IndexUpdate, IndexUpdates, UpdateTurn } from '../testimonials/index-updates.ts';
import { byOrganization, changesIn, renewalIn } from '../testimonials/stream.ts';
import { indexTurnMs, updatesAtOnce } from '../timing.ts';
import { keepMedia, type MediaKeeping } from './keep-media.ts';

interface IndexFunctionDependencies {
  updates: IndexUpdates;
  now: () => Date;
  logger: Logger;
  /** Absent if the deployment has no media. */
  keeping?: MediaKeeping | undefined;
}

/**
 * The log line of an organization whose index was updated or needs an update. CloudWatch derives metrics from
 * its fields.
 */
export interface IndexUpdateLine extends IndexUpdate {
  organization: string;
}

/**
 * Builds the handler. It never waits. If an organization needs another update, now or later, the handler
 * writes a request, which returns through the stream after the records before it. If that write fails, the
 * handler reports the organization's records as failed. The stream then repeats the batch from the first of
 * these records on, including records of other organizations. Everything here may therefore run again.
 *
 * A deployment sends an event without records, which starts the rebuild of every index that was built with
 * other rules.
 */
export function createHandler({ updates, now, logger, keeping }: IndexFunctionDependencies) {
  const onUnreadable = unreadableLog(logger);

  /** Updates the index of an organization in its share of the invocation. True if it needs another update. */
  async function updateOne(organization: string, turn: UpdateTurn): Promise<boolean> {
    // Each remaining organization of a large batch requests another update.
    if (now().getTime() >= turn.until) return true;
    try {
      const update = await updates.update(organization, turn);
      if (!update) return true;
      if (update.steps > 0 || update.lagMs > 0 || update.hasOtherTerms) {
        const line: IndexUpdateLine = { organization, ...update };
        logger.info('Organization indexed', { ...line });
      }
      return update.hasMore;
    } catch (error) {
      const otherTerms = error instanceof NewerTerms && { hasOtherTerms: true };
      logger.error('Indexing failed', { organization, error: String(error), ...otherTerms });
      return true;
    }
  }

  /** Continues the renewal of all list indexes. True if that failed. */
  async function renew(until: number): Promise<boolean> {
    try {
      const organizations = await updates.renew({ until, onUnreadable });
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
    const until = now().getTime() + indexTurnMs;
    if (!Records) {
      await updates.beginRenewal();
      return { batchItemFailures: [] };
    }
    const changes = changesIn(Records);
    // First, because index updates can use up the time.
    const batchItemFailures = await logErasures(updates, logger, changes);
    // In parallel, because index updates must continue if the bucket does not respond.
    const isTimeUp = () => now().getTime() >= until;
    const keepingMedia = keeping && keepMedia(keeping, logger, changes, isTimeUp);
    const renewalRecord = renewalIn(Records);
    if (renewalRecord !== undefined && (await renew(until)))
      batchItemFailures.push({ itemIdentifier: renewalRecord });
    // Skips rewritten testimonials, because each change also writes a marker, which has its own record.
    const organizations = byOrganization(changes.filter(({ isRewrite }) => !isRewrite));
    const turn = { until, sharedBy: Math.min(updatesAtOnce, organizations.size) };
    const updateOrRequest = async ([organization, ownChanges]: [string, StreamChange[]]) => {
      if (!(await updateOne(organization, turn))) return;
      await updates.request(organization).catch((error: unknown) => {
        logger.error('The next index update cannot be requested', { organization, error: String(error) });
        batchItemFailures.push(failureAt(ownChanges));
      });
    };
    await forEachAtOnce(organizations, updateOrRequest, updatesAtOnce);
    const failed = (await keepingMedia) ?? [];
    batchItemFailures.push(...failed.map((change) => failureAt([change])));
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
 * @returns the first record of each organization whose testimonials could not be read, from which the stream
 * must repeat
 */
async function logErasures(
  updates: IndexUpdates,
  logger: Logger,
  changes: readonly StreamChange[],
): Promise<DynamoDBBatchResponse['batchItemFailures']> {
  const failures: DynamoDBBatchResponse['batchItemFailures'] = [];
  const replaced = changes.filter(
    ({ organization, isRewrite }) => isRewrite && !isCheckOrganization(organization),
  );
  await forEachAtOnce(byOrganization(replaced), async ([organization, ownChanges]) => {
    try {
      const erased = await updates.erasedAmong(organization, ownChanges);
      for (const id of erased) logger.info(erasedMessage, { organization, id });
    } catch (error) {
      logger.error('Erasures cannot be logged', { organization, error: String(error) });
      failures.push(failureAt(ownChanges));
    }
  });
  return failures;
}

function failureAt([first]: readonly StreamChange[]) {
  return { itemIdentifier: first?.sequenceNumber ?? '' };
}
