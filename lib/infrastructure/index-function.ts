/** The function that updates the list index from the table's stream, and its dead-letter queue. */
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { type CfnResource, Stack } from 'aws-cdk-lib/core';
import { InvocationType, Trigger } from 'aws-cdk-lib/triggers';
import { Construct } from 'constructs';
import { indexFilters } from '../../functions/dynamodb/stream-filters.ts';
import { batchingWindowMs, indexTimeoutMs } from '../../functions/timing.ts';
import type { Stage } from './context.ts';
import { ServiceFunction } from './service-function.ts';
import { deadLetterQueue, streamSource } from './stream-source.ts';
import { tableRights } from './table-rights.ts';
import type { TestimonialsTable } from './testimonials-table.ts';

export class IndexFunction extends Construct {
  readonly function: ServiceFunction;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, stage: Stage, table: TestimonialsTable) {
    super(scope, id);
    this.deadLetters = deadLetterQueue(this, 'DeadLetters', stage);
    // 1,769 MB provide a whole core, for encoding bitmaps and signing thousands of calls.
    this.function = new ServiceFunction(scope, 'IndexTestimonials', {
      stage,
      description: 'Update the list index',
      timeoutMs: indexTimeoutMs,
      memorySize: 1769,
      // This log contains the erasures.
      logRetention: stage.erasureLogRetention,
      deadLetters: this.deadLetters,
    });
    table.allow(this.function, tableRights.index);
    new Trigger(this, 'Renewal', {
      handler: this.function,
      // Deployments do not wait for the rebuilds.
      invocationType: InvocationType.EVENT,
      // The previous version would find nothing to renew, and a failure needs its queue.
      executeAfter: [this.function.live, this.function.currentVersion],
    });
    this.#keepLogOfTrigger(stage);
    this.function.live.addEventSource(
      streamSource(table, {
        filters: indexFilters,
        batchSize: 1000,
        // Longer than changes take to settle. All changes within the window share one index update and its
        // writes.
        windowMs: batchingWindowMs,
        deadLetters: this.deadLetters,
      }),
    );
  }

  /** The CDK's function that invokes the trigger would otherwise keep its log forever. */
  #keepLogOfTrigger({ logRetention: retention, removalPolicy }: Stage): void {
    const { logGroupName } = new LogGroup(this, 'RenewalLogs', { retention, removalPolicy });
    const provider = Stack.of(this).node.findChild(
      'AWSCDK.TriggerCustomResourceProviderCustomResourceProvider',
    );
    // The provider has exactly one function.
    const handler = provider.node.findChild('Handler') as CfnResource;
    handler.addPropertyOverride('LoggingConfig', { LogGroup: logGroupName });
  }
}
