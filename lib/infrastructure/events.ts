/** What tells others what happened: an event bus, a function on the table's stream, and a queue for what it gave up. */
import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import {
  ApiDestination,
  Authorization,
  Connection,
  EventBus,
  EventField,
  type IApiDestination,
  Rule,
  RuleTargetInput,
} from 'aws-cdk-lib/aws-events';
import { ApiDestination as ApiDestinationTarget, SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { EventEnvironment } from '../../functions/environment.ts';
import { eventFilters } from '../../functions/persistence/stream-records.ts';
import { type EventName, eventSource } from '../../functions/publish-events/event.ts';
import { eventTimeoutMs, eventWindowMs } from '../../functions/timing.ts';
import type { DeploymentContext, Stage } from './context.ts';
import { ServiceFunction } from './service-function.ts';
import { deadLetterQueue, streamSource } from './stream-source.ts';
import { tableRights } from './table-rights.ts';
import type { TestimonialsTable } from './testimonials-table.ts';

const busVariable: keyof EventEnvironment = 'EVENT_BUS_NAME';
const created: EventName = 'testimonial.created';

/** The header that has the webhook's key. */
const keyHeader = 'X-Api-Key';

// What a small receiver stands; what is more waits.
const callsASecond = 10;

export class Events extends Construct {
  readonly bus: EventBus;
  readonly function: ServiceFunction;
  /** Gets records of the stream that were given up. */
  readonly deadLetters: Queue;
  /** Gets events that a target of the bus did not take; where there is a target. */
  readonly undelivered: Queue | undefined;

  constructor(
    scope: Construct,
    id: string,
    stage: Stage,
    table: TestimonialsTable,
    context: DeploymentContext,
  ) {
    super(scope, id);
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
    this.deadLetters = deadLetterQueue(this, 'DeadLetters', stage);
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

    const { newTestimonialEmail: email, webhookUrl: url } = context;
    if (email === undefined && url === undefined) return;
    this.undelivered = deadLetterQueue(this, 'Undelivered', stage);
    if (email !== undefined) this.#sendEmail(email, this.undelivered);
    if (url !== undefined) this.#callWebhook(url, this.undelivered);
  }

  /** An e-mail for each new testimonial: EventBridge publishes to a topic, which writes to its subscriber. */
  #sendEmail(email: string, deadLetterQueue: Queue): void {
    const scope = new Construct(this, 'NewTestimonialEmail');
    const topic = new Topic(scope, 'Topic', { displayName: 'Testimonials', enforceSSL: true });
    Validations.of(topic).acknowledge({
      id: 'AwsSolutions-SNS2',
      reason:
        'It has ids and statuses, no text and no address, and EventBridge cannot use the AWS managed key.',
    });
    topic.addSubscription(new EmailSubscription(email));
    const [organization, testimonial, status] = ['organization', 'id', 'status'].map((field) =>
      EventField.fromPath(`$.detail.${field}`),
    );
    // A topic's policy can have no condition on who makes EventBridge publish
    // (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-resource-based.html#eb-sns-permissions); a role can
    // (https://aws.amazon.com/about-aws/whats-new/2025/03/amazon-eventbridge-iam-execution-role-all-targets/).
    const conditions = { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } };
    const role = new Role(scope, 'Role', {
      assumedBy: new ServicePrincipal('events.amazonaws.com', { conditions }),
    });
    const message = RuleTargetInput.fromText(
      `${organization} has a new testimonial, ${testimonial}, which is ${status}.`,
    );
    new Rule(scope, 'Rule', {
      description: 'Testimonials: an e-mail for each new one',
      eventBus: this.bus,
      eventPattern: { source: [eventSource], detailType: [created] },
      targets: [new SnsTopic(topic, { role, message, deadLetterQueue })],
    });
  }

  /** EventBridge sends every event to an address, with a key that the receiver knows it by. */
  #callWebhook(endpoint: string, deadLetterQueue: Queue): void {
    const scope = new Construct(this, 'Webhook');
    const key = new Secret(scope, 'Key', {
      description: `Testimonials: what the webhook sends as ${keyHeader}`,
      generateSecretString: { passwordLength: 40, excludePunctuation: true },
    });
    Validations.of(key).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason:
        'The receiver has the key too, and nobody but its people can change it there: docs/events.md says how.',
    });
    const destination = new ApiDestination(scope, 'Destination', {
      connection: new Connection(scope, 'Connection', {
        authorization: Authorization.apiKey(keyHeader, key.secretValue),
      }),
      endpoint,
      rateLimitPerSecond: callsASecond,
    });
    new Rule(scope, 'Rule', {
      description: 'Testimonials: all events to the webhook',
      eventBus: this.bus,
      eventPattern: { source: [eventSource] },
      targets: [
        // The CDK's own types differ only in how they write an absent property.
        new ApiDestinationTarget(destination as IApiDestination, {
          // All that EventBridge has (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-retry-policy.html).
          maxEventAge: Duration.hours(24),
          retryAttempts: 185,
          deadLetterQueue,
        }),
      ],
    });
    new CfnOutput(Stack.of(this), 'WebhookKeyArn', {
      value: key.secretArn,
      description: `The key that the webhook sends as ${keyHeader}`,
    });
  }
}
