/** What keeps the list index: a function on the table's stream, and a queue for what it gave up. */
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { type CfnResource, Stack } from 'aws-cdk-lib/core';
import { InvocationType, Trigger } from 'aws-cdk-lib/triggers';
import { Construct } from 'constructs';
import { indexFilters } from '../../functions/persistence/stream-records.ts';
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
    // It encodes bitmaps and signs thousands of calls: a whole core (1,769 MB).
    this.function = new ServiceFunction(scope, 'IndexTestimonials', {
      stage,
      description: 'Keep the list index',
      folder: 'index-testimonials',
      timeoutMs: indexTimeoutMs,
      memorySize: 1769,
      // It logs erasures.
      logRetention: stage.erasureLogRetention,
      deadLetters: this.deadLetters,
    });
    table.allow(this.function, tableRights.index);
    new Trigger(this, 'Renewal', {
      handler: this.function,
      // A rebuild takes as long as it takes: no deployment waits for it.
      invocationType: InvocationType.EVENT,
      // The version before would find nothing to do; and what fails has to have its queue.
      executeAfter: [this.function.live, this.function.currentVersion],
    });
    this.#keepLogOfTrigger(stage);
    this.function.live.addEventSource(
      streamSource(table, {
        filters: indexFilters,
        batchSize: 1000,
        // Longer than settling; and one index update for what comes within it: they share the write of a posting.
        windowMs: batchingWindowMs,
        deadLetters: this.deadLetters,
      }),
    );
  }

  /** The function of the CDK that a trigger is made of would have a log for ever. */
  #keepLogOfTrigger({ logRetention: retention, removalPolicy }: Stage): void {
    const { logGroupName } = new LogGroup(this, 'RenewalLogs', { retention, removalPolicy });
    const provider = Stack.of(this).node.findChild(
      'AWSCDK.TriggerCustomResourceProviderCustomResourceProvider',
    );
    // It has no other.
    const handler = provider.node.findChild('Handler') as CfnResource;
    handler.addPropertyOverride('LoggingConfig', { LogGroup: logGroupName });
  }
}
