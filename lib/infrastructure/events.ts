/** What tells others what happened: an event bus, a function on the table's stream, and a queue for what it gave up. */
import { EventBus } from 'aws-cdk-lib/aws-events';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { EventEnvironment } from '../../functions/environment.ts';
import { eventFilters } from '../../functions/publish-events/stream-records.ts';
import { eventTimeoutMs, eventWindowMs } from '../../functions/timing.ts';
import { NewTestimonialEmail } from './new-testimonial-email.ts';
import { ServiceFunction } from './service-function.ts';
import type { Stage } from './stage.ts';
import { DeadLetterQueue, streamSource } from './stream-source.ts';
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
  /** Gets records of the stream that were given up. */
  readonly deadLetters: Queue;
  /** Gets events that a target of the bus did not take; where there is a target. */
  readonly undelivered: Queue | undefined;

  constructor(scope: Construct, id: string, props: EventsProps) {
    super(scope, id);
    const { stage, table, newTestimonialEmail: email, webhookUrl: url } = props;
    this.bus = new EventBus(this, 'Bus', { eventBusName: `testimonials-${stage.name}` });
    this.function = new ServiceFunction(scope, 'PublishEvents', {
      stage,
      description: 'Tell the event bus what happened',
      folder: 'publish-events',
      timeoutMs: eventTimeoutMs,
    });
    table.allow(this.function, tableRights.events);
    this.function.addEnvironment(busVariable, this.bus.eventBusName);
    this.bus.grantPutEventsTo(this.function);
    this.deadLetters = new DeadLetterQueue(this, 'DeadLetters', { stage });
    // The second reader of each shard, and the last that the stream takes (docs/adr/0022-events.md).
    this.function.live.addEventSource(
      streamSource(table, {
        filters: eventFilters,
        // Whose items are all in memory at once: some 20 MB of the longest.
        batchSize: 500,
        windowMs: eventWindowMs,
        deadLetters: this.deadLetters,
      }),
    );

    if (email === undefined && url === undefined) return;
    const target = { bus: this.bus, undelivered: new DeadLetterQueue(this, 'Undelivered', { stage }) };
    this.undelivered = target.undelivered;
    if (email !== undefined) new NewTestimonialEmail(this, 'NewTestimonialEmail', { ...target, email });
    if (url !== undefined) new Webhook(this, 'Webhook', { ...target, url });
  }
}
