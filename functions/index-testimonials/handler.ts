/** Keeps the list index: folds the organizations that the table's stream names. */
import type { Logger } from '@aws-lambda-powertools/logger';
import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { Context, DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { type FoldRun, foldOrganization } from '../list-index/fold-organization.ts';
import { organizationsOf } from './stream-records.ts';

export interface IndexDependencies extends Pick<FoldRun, 'testimonials' | 'index' | 'now' | 'sleep'> {
  logger: Logger;
  metrics: Metrics;
}

// Left of the function's time when no further step is begun.
const marginMs = 20_000;

/** A Lambda handler of the stream, as the Node.js runtime calls it. */
export type IndexLambdaHandler = (
  event: DynamoDBStreamEvent,
  context: Context,
) => Promise<DynamoDBBatchResponse>;

/** Builds the handler. The records of an organization that is not done are reported, and come again. */
export function createHandler({ logger, metrics, ...deps }: IndexDependencies): IndexLambdaHandler {
  return async ({ Records }, context) => {
    const until = deps.now().getTime() + context.getRemainingTimeInMillis() - marginMs;
    const owner = context.awsRequestId;
    const failures = await Promise.all(
      organizationsOf(Records).map(async ({ organization, goal, firstSequenceNumber }) => {
        try {
          const report = await foldOrganization({ ...deps, owner, until }, organization, goal);
          logger.info('Organization folded', { organization, goal, ...report });
          metrics.addMetric('TestimonialsFolded', MetricUnit.Count, report.folded);
          metrics.addMetric('PostingsWritten', MetricUnit.Count, report.postingsWritten);
          metrics.addMetric('ChangesFolded', MetricUnit.Count, report.changes);
          return report.done ? [] : [{ itemIdentifier: firstSequenceNumber }];
        } catch (error) {
          logger.error('Folding failed', { organization, goal, error: String(error) });
          metrics.addMetric('FoldFailures', MetricUnit.Count, 1);
          return [{ itemIdentifier: firstSequenceNumber }];
        }
      }),
    );
    metrics.publishStoredMetrics();
    return { batchItemFailures: failures.flat() };
  };
}
