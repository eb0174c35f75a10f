/** A webhook: EventBridge sends every event to an address, with a key that the receiver knows it by. */
import { Duration } from 'aws-cdk-lib';
import {
  ApiDestination,
  Authorization,
  Connection,
  type EventBus,
  type IApiDestination,
  Rule,
} from 'aws-cdk-lib/aws-events';
import { ApiDestination as ApiDestinationTarget } from 'aws-cdk-lib/aws-events-targets';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { CfnOutput, Stack, Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { eventSource } from '../../functions/publish-events/event.ts';

export interface WebhookProps {
  bus: EventBus;
  /** Gets what the address does not take. */
  undelivered: Queue;
  url: string;
}

/** The header that has the key. */
const keyHeader = 'X-Api-Key';

// What a small receiver stands; what is more waits.
const callsASecond = 10;

export class Webhook extends Construct {
  constructor(scope: Construct, id: string, { bus, undelivered, url }: WebhookProps) {
    super(scope, id);
    const key = new Secret(this, 'Key', {
      description: `Testimonials: what the webhook sends as ${keyHeader}`,
      generateSecretString: { passwordLength: 40, excludePunctuation: true },
    });
    Validations.of(key).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason:
        'The receiver has the key too, and nobody but its people can change it there: docs/events.md says how.',
    });
    const destination = new ApiDestination(this, 'Destination', {
      connection: new Connection(this, 'Connection', {
        authorization: Authorization.apiKey(keyHeader, key.secretValue),
      }),
      endpoint: url,
      rateLimitPerSecond: callsASecond,
    });
    new Rule(this, 'Rule', {
      description: 'Testimonials: all events to the webhook',
      eventBus: bus,
      eventPattern: { source: [eventSource] },
      targets: [
        // The CDK's own types differ only in how they write an absent property.
        new ApiDestinationTarget(destination as IApiDestination, {
          // All that EventBridge has (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-retry-policy.html).
          maxEventAge: Duration.hours(24),
          retryAttempts: 185,
          deadLetterQueue: undelivered,
        }),
      ],
    });
    new CfnOutput(Stack.of(this), 'WebhookKeyArn', {
      value: key.secretArn,
      description: `The key that the webhook sends as ${keyHeader}`,
    });
  }
}
