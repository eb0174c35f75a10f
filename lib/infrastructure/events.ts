/** The event bus, the function that publishes events from the table's stream, and their targets. */
import { CfnOutput, Duration, Stack, Validations } from 'aws-cdk-lib';
import * as events from 'aws-cdk-lib/aws-events';
import { ApiDestination as ApiDestinationTarget, SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { eventFilters } from '../../functions/dynamodb/stream-filters.ts';
import type { EventEnvironment } from '../../functions/environment.ts';
import { type EventName, eventSource } from '../../functions/publish-events/event.ts';
import { eventTimeoutMs, eventWindowMs } from '../../functions/timing.ts';
import type { DeploymentContext, Stage } from './context.ts';
import { ServiceFunction } from './service-function.ts';
import { deadLetterQueue, streamSource } from './stream-source.ts';
import { tableRights } from './table-rights.ts';
import type { TestimonialsTable } from './testimonials-table.ts';

const busVariable: keyof EventEnvironment = 'EVENT_BUS_NAME';

/** The header with the webhook's key. */
const keyHeader = 'X-Api-Key';

// Few enough for a small receiver. Further events wait.
const callsPerSecond = 10;

export class Events extends Construct {
  readonly bus: events.EventBus;
  readonly function: ServiceFunction;
  /** Receives a message about records that Lambda gives up on. */
  readonly deadLetters: Queue;
  /** Receives events that a target of the bus rejected. */
  readonly undelivered: Queue;

  constructor(
    scope: Construct,
    id: string,
    stage: Stage,
    table: TestimonialsTable,
    context: DeploymentContext & { deskUrl?: string | undefined },
  ) {
    super(scope, id);
    this.bus = new events.EventBus(this, 'Bus', { eventBusName: `testimonials-${stage.name}` });
    this.function = new ServiceFunction(scope, 'PublishEvents', {
      stage,
      description: 'Publish events to the event bus',
      timeoutMs: eventTimeoutMs,
    });
    table.allow(this.function, tableRights.events);
    this.function.addEnvironment(busVariable, this.bus.eventBusName);
    this.bus.grantPutEventsTo(this.function);
    this.deadLetters = deadLetterQueue(this, 'DeadLetters', stage);
    // The second reader of each shard. A stream supports no more than two (docs/adr/0022-events.md).
    this.function.live.addEventSource(
      streamSource(table, {
        filters: eventFilters,
        // The function holds all items of a batch in memory, at most some 20 MB.
        batchSize: 500,
        windowMs: eventWindowMs,
        deadLetters: this.deadLetters,
      }),
    );

    const { newTestimonialEmail: email, webhookUrl: url, deskUrl } = context;
    this.undelivered = deadLetterQueue(this, 'Undelivered', stage);
    if (email !== undefined) this.#sendEmail(email, this.undelivered, deskUrl);
    if (url !== undefined) this.#callWebhook(url, this.undelivered, stage);
  }

  /** Sends an e-mail for each new testimonial, through a topic that EventBridge publishes to. */
  #sendEmail(email: string, deadLetterQueue: Queue, deskUrl?: string): void {
    const scope = new Construct(this, 'NewTestimonialEmail');
    const topic = new Topic(scope, 'Topic', { displayName: 'Testimonials', enforceSSL: true });
    Validations.of(topic).acknowledge({
      id: 'AwsSolutions-SNS2',
      reason:
        'Its messages contain ids and statuses but no text or e-mail address, and EventBridge cannot use the AWS managed key.',
    });
    topic.addSubscription(new EmailSubscription(email));
    const [organization, testimonial, status] = ['organization', 'id', 'status'].map((field) =>
      events.EventField.fromPath(`$.detail.${field}`),
    );
    // A topic's policy cannot limit which account makes EventBridge publish
    // (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-resource-based.html#eb-sns-permissions).
    // A role can
    // (https://aws.amazon.com/about-aws/whats-new/2025/03/amazon-eventbridge-iam-execution-role-all-targets/).
    const conditions = { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } };
    const role = new Role(scope, 'Role', {
      assumedBy: new ServicePrincipal('events.amazonaws.com', { conditions }),
    });
    const review = deskUrl === undefined ? '' : ` Review it at ${deskUrl}/queue`;
    const message = events.RuleTargetInput.fromText(
      `New testimonial for ${organization}: ${testimonial} (${status}).${review}`,
    );
    new events.Rule(scope, 'Rule', {
      description: 'Testimonials: an e-mail for each new testimonial',
      eventBus: this.bus,
      eventPattern: { source: [eventSource], detailType: ['testimonial.created' satisfies EventName] },
      targets: [new SnsTopic(topic, { role, message, deadLetterQueue })],
    });
  }

  /** Sends every event to a URL, with a key that authenticates the sender. */
  #callWebhook(endpoint: string, deadLetterQueue: Queue, { removalPolicy }: Stage): void {
    const scope = new Construct(this, 'Webhook');
    const key = new Secret(scope, 'Key', {
      description: `Testimonials: the key that the webhook sends as ${keyHeader}`,
      generateSecretString: { passwordLength: 40, excludePunctuation: true },
      removalPolicy,
    });
    Validations.of(key).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'The receiver also has the key, and must change it at the same time (docs/events.md).',
    });
    const destination = new events.ApiDestination(scope, 'Destination', {
      connection: new events.Connection(scope, 'Connection', {
        authorization: events.Authorization.apiKey(keyHeader, key.secretValue),
      }),
      endpoint,
      rateLimitPerSecond: callsPerSecond,
    });
    new events.Rule(scope, 'Rule', {
      description: 'Testimonials: all events to the webhook',
      eventBus: this.bus,
      eventPattern: { source: [eventSource] },
      targets: [
        // The CDK's types differ only in how they declare optional properties.
        new ApiDestinationTarget(destination as events.IApiDestination, {
          // The maximum of EventBridge
          // (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-retry-policy.html).
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
