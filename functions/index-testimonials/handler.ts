/** Keeps the list index: folds the organizations that the table's stream names. */
import type { Logger } from '@aws-lambda-powertools/logger';
import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { forEachAtOnce } from '../concurrency.ts';
import { termsVersion } from '../list-index/index-terms.ts';
import type { FoldDependencies } from '../list-index/write/fold.ts';
import { keepIndex } from '../list-index/write/keep-index.ts';
import { FencedOff } from '../list-index/write/posting-edits.ts';
import { foldTurnMs } from '../timing.ts';
import { foldMetrics } from './fold-metrics.ts';
import { organizationsOf } from './stream-records.ts';

export interface IndexDependencies extends FoldDependencies {
  logger: Logger;
  metrics: Metrics;
}

/** A Lambda handler of the stream, as the Node.js runtime calls it. */
export type IndexLambdaHandler = (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>;

/**
 * Builds the handler. It waits for nothing: an organization with something left to fold, now or later, is asked for
 * again by a request of its own, behind those that wait in the stream. Only when even that fails, its records are
 * reported as failed and come again.
 */
export function createHandler({ logger, metrics, ...deps }: IndexDependencies): IndexLambdaHandler {
  const count = (name: string, value: number) => metrics.addMetric(name, MetricUnit.Count, value);

  /** Folds an organization; returns whether it has to be folded again. */
  async function fold(organization: string, until: number): Promise<boolean> {
    // A batch of many organizations ends in time: the rest have a batch of their own.
    if (deps.now().getTime() >= until) return true;
    try {
      const report = await keepIndex(deps, organization, { until });
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
      logger.error('Folding failed', { organization, error: String(error) });
      count(foldMetrics.failures, 1);
      return true;
    }
  }

  return async ({ Records }) => {
    const until = deps.now().getTime() + foldTurnMs;
    const batchItemFailures: DynamoDBBatchResponse['batchItemFailures'] = [];
    await forEachAtOnce(organizationsOf(Records), async ({ organization, firstSequenceNumber }) => {
      if (!(await fold(organization, until))) return;
      await deps.index.requestFold(organization, deps.now()).catch((error: unknown) => {
        logger.error('Folding cannot be asked for again', { organization, error: String(error) });
        batchItemFailures.push({ itemIdentifier: firstSequenceNumber });
      });
    });
    metrics.publishStoredMetrics();
    return { batchItemFailures };
  };
}
