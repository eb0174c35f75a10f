/** What tells others what happened: an event bus, a function on the table's stream, and a queue for what it gave up. */
import { fileURLToPath } from 'node:url';
import { Duration } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { FilterCriteria, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { EventEnvironment } from '../../functions/publish-events/environment.ts';
import { eventFilters } from '../../functions/publish-events/stream-records.ts';
import { eventTimeoutMs, eventWindowMs } from '../../functions/timing.ts';
import { DeadLetterQueue } from './dead-letter-queue.ts';
import { NewTestimonialEmail } from './new-testimonial-email.ts';
import { ServiceFunction } from './service-function.ts';
import type { Stage } from './stage.ts';
import { tableRights } from './table-rights.ts';
import type { TestimonialsTable } from './testimonials-table.ts';
import { Webhook } from './webhook.ts';

const busVariable: keyof EventEnvironment = 'EVENT_BUS_NAME';

export interface EventsProps {
  stage: Stage;
  table: TestimonialsTable;
  /** Who is written to of each new testimonial. */
  newTestimonialEmail: string | undefined;
  /** Where all events are sent. */
  webhookUrl: string | undefined;
}

export class Events extends Construct {
  readonly bus: EventBus;
  readonly function: ServiceFunction;
  /** Of records of the stream that were given up. */
  readonly deadLetters: Queue;
  /** Of events that a target of the bus did not take; where there is a target. */
  readonly undelivered: Queue | undefined;

  constructor(scope: Construct, id: string, props: EventsProps) {
    super(scope, id);
    const { stage, table, newTestimonialEmail: email, webhookUrl: url } = props;
    this.bus = new EventBus(this, 'Bus', { eventBusName: `testimonials-${stage.name}` });
    this.function = new ServiceFunction(scope, 'PublishEvents', {
      stage,
      description: 'Tell the event bus what happened',
      entry: fileURLToPath(new URL('../../functions/publish-events/lambda.ts', import.meta.url)),
      timeoutMs: eventTimeoutMs,
    });
    table.allow(this.function, tableRights.events);
    this.function.addEnvironment(busVariable, this.bus.eventBusName);
    this.bus.grantPutEventsTo(this.function);
    this.deadLetters = new DeadLetterQueue(this, 'DeadLetters', { stage });
    this.#readStreamOf(table);

    if (email === undefined && url === undefined) return;
    const target = { bus: this.bus, undelivered: new DeadLetterQueue(this, 'Undelivered', { stage }) };
    this.undelivered = target.undelivered;
    if (email !== undefined) new NewTestimonialEmail(this, 'NewTestimonialEmail', { ...target, email });
    if (url !== undefined) new Webhook(this, 'Webhook', { ...target, url });
  }

  #readStreamOf(table: TestimonialsTable): void {
    this.function.live.addEventSource(
      // The CDK's own types differ only in how they write an absent property.
      new DynamoEventSource(table.table as unknown as ITable, {
        // What happened while the mapping was made is told, and what the day before.
        startingPosition: StartingPosition.TRIM_HORIZON,
        // Whose items are all in memory at once: some 20 MB of the longest.
        batchSize: 500,
        maxBatchingWindow: Duration.millis(eventWindowMs),
        // The second reader of each shard, and the last that the stream takes (docs/adr/0022-events.md).
        parallelizationFactor: 1,
        filters: eventFilters.map((filter) => FilterCriteria.filter(filter)),
        reportBatchItemFailures: true,
        bisectBatchOnError: true,
        // As often as it takes, for nearly as long as the stream keeps a record: nobody else tells it.
        maxRecordAge: Duration.hours(23),
        onFailure: new SqsDlq(this.deadLetters),
      }),
    );
  }
}
