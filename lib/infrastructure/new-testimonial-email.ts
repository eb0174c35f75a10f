/** An e-mail for each new testimonial: EventBridge publishes to a topic, which writes to its subscriber. */
import { type EventBus, EventField, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Stack, Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { type EventName, eventSource } from '../../functions/publish-events/event.ts';

export interface NewTestimonialEmailProps {
  bus: EventBus;
  /** Gets what the topic does not take. */
  undelivered: Queue;
  email: string;
}

const created: EventName = 'testimonial.created';

export class NewTestimonialEmail extends Construct {
  constructor(scope: Construct, id: string, { bus, undelivered, email }: NewTestimonialEmailProps) {
    super(scope, id);
    const topic = new Topic(this, 'Topic', { displayName: 'Testimonials', enforceSSL: true });
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
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('events.amazonaws.com', { conditions }),
    });
    new Rule(this, 'Rule', {
      description: 'Testimonials: an e-mail for each new one',
      eventBus: bus,
      eventPattern: { source: [eventSource], detailType: [created] },
      targets: [
        new SnsTopic(topic, {
          role,
          message: RuleTargetInput.fromText(
            `${organization} has a new testimonial, ${testimonial}, which is ${status}.`,
          ),
          deadLetterQueue: undelivered,
        }),
      ],
    });
  }
}
