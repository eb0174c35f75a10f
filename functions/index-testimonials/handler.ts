/** Keeps the list index: folds the organizations that the table's stream names. */
import type { Logger } from '@aws-lambda-powertools/logger';
import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { foldsAtOnce, forEachAtOnce } from '../concurrency.ts';
import { termsVersion } from '../list-index/terms-version.ts';
import { type FoldOptions, NewerTerms } from '../list-index/write/fold.ts';
import { shareOfStep } from '../list-index/write/fold-decisions.ts';
import { keepIndex } from '../list-index/write/keep-index.ts';
import { FencedOff } from '../list-index/write/posting-edits.ts';
import { type RenewalDependencies, renewIndexes } from '../list-index/write/renew-indexes.ts';
import { foldTurnMs } from '../timing.ts';
import { foldMetrics } from './fold-metrics.ts';
import { logErasures } from './log-erasures.ts';
import { type OrganizationRecords, organizationsOf, renewalIn } from './stream-records.ts';

export interface IndexDependencies extends RenewalDependencies {
  logger: Logger;
  metrics: Metrics;
}

/** What an organization may do of a batch's time: no step begins after it, and a step takes no more. */
type Turn = Required<FoldOptions>;

/** A Lambda handler of the stream, as the Node.js runtime calls it. */
export type IndexLambdaHandler = (event: Partial<DynamoDBStreamEvent>) => Promise<DynamoDBBatchResponse>;

/**
 * Builds the handler. An event without records, as a deployment sends, asks for all indexes to be rebuilt that were made by
 * other rules. It waits for nothing: an organization with something left to fold, now or later, is asked for
 * again by a request of its own, behind those that wait in the stream. Only when even that fails, its records are
 * reported as failed and come again.
 */
export function createHandler({ logger, metrics, ...deps }: IndexDependencies): IndexLambdaHandler {
  const count = (name: string, value: number) => metrics.addMetric(name, MetricUnit.Count, value);

  /** Folds an organization; returns whether it has to be folded again. */
  async function fold(organization: string, { until, limits }: Turn): Promise<boolean> {
    // A batch of many organizations ends in time: the rest have a batch of their own.
    if (deps.now().getTime() >= until) return true;
    try {
      const report = await keepIndex(deps, organization, { until, limits });
      const { terms, left, lagMs, isBeingRebuilt: _, ...work } = report;
      if (work.steps > 0) logger.info('Organization folded', { organization, ...work, left, lagMs });
      count(foldMetrics.testimonials, work.folded);
      count(foldMetrics.changes, work.changes);
      count(foldMetrics.postings, work.postingsWritten);
      count(foldMetrics.otherTerms, terms === termsVersion ? 0 : 1);
      metrics.addMetric(foldMetrics.lag, MetricUnit.Milliseconds, lagMs);
      return left;
    } catch (error) {
      if (error instanceof FencedOff) return true;
      if (error instanceof NewerTerms) count(foldMetrics.otherTerms, 1);
      logger.error('Folding failed', { organization, error: String(error) });
      count(foldMetrics.failures, 1);
      return true;
    }
  }

  /** Goes on with the renewal of all list indexes; returns whether that failed. */
  async function renew(until: number): Promise<boolean> {
    try {
      const organizations = await renewIndexes(deps, { until });
      if (organizations.length > 0) logger.info('Rebuilding by the rules of this version', { organizations });
      return false;
    } catch (error) {
      logger.error('Rebuilding cannot go on', { error: String(error) });
      count(foldMetrics.failures, 1);
      return true;
    }
  }

  return async ({ Records }) => {
    const until = deps.now().getTime() + foldTurnMs;
    if (!Records) {
      await deps.renewals.begin(deps.now());
      return { batchItemFailures: [] };
    }
    // Before anything that can run out of time.
    const batchItemFailures = await logErasures({ ...deps, logger }, Records);
    const renewal = renewalIn(Records);
    if (renewal !== undefined && (await renew(until))) batchItemFailures.push({ itemIdentifier: renewal });
    const organizations = organizationsOf(Records);
    const turn = { until, limits: shareOfStep(Math.min(foldsAtOnce, organizations.length)) };
    const foldOrAskAgain = async ({ organization, firstSequenceNumber }: OrganizationRecords) => {
      if (!(await fold(organization, turn))) return;
      await deps.index.requestFold(organization, deps.now()).catch((error: unknown) => {
        logger.error('Folding cannot be asked for again', { organization, error: String(error) });
        batchItemFailures.push({ itemIdentifier: firstSequenceNumber });
      });
    };
    await forEachAtOnce(organizations, foldOrAskAgain, foldsAtOnce);
    if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
    return { batchItemFailures };
  };
}
