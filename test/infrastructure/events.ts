import { describe, expect, test } from '@jest/globals';
import { Match } from 'aws-cdk-lib/assertions';
import { eventWindowMs } from '../../functions/timing.ts';
import { synthesizeWith } from './synthesized.ts';

const { template, all, one, policyOf } = synthesizeWith({
  protect: 'true',
  events: 'true',
  newTestimonialEmail: 'moderators@example.com',
  webhookUrl: 'https://www.example.com/hook',
});
const alone = synthesizeWith({ events: 'true' });
const bus = { Ref: Match.stringLikeRegexp('^EventsBus') };

test('what sends events on is there where it is asked for', () => {
  expect(alone.all('Events::EventBus')).toHaveLength(1);
  for (const type of ['Events::Rule', 'SecretsManager::Secret', 'Events::Connection']) {
    expect(alone.all(type)).toEqual([]);
  }
  template.hasOutput('EventBusName', { Value: bus });
});

describe('the function that tells events', () => {
  test('reads testimonials and imports of the stream, a second after their writes', () => {
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      EventSourceArn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^TestimonialsTable'), 'StreamArn'] },
      FilterCriteria: {
        Filters: [
          {
            Pattern: JSON.stringify({
              eventName: ['INSERT', 'MODIFY'],
              dynamodb: { Keys: { SK: { S: [{ prefix: 'TESTIMONIAL#' }, { prefix: 'IMPORT#' }] } } },
            }),
          },
        ],
      },
      MaximumBatchingWindowInSeconds: eventWindowMs / 1000,
      ParallelizationFactor: 1,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      BisectBatchOnFunctionError: true,
      MaximumRecordAgeInSeconds: 23 * 60 * 60,
      DestinationConfig: {
        OnFailure: { Destination: { 'Fn::GetAtt': [Match.stringLikeRegexp('^EventsDeadLetters'), 'Arn'] } },
      },
    });
  });

  test('is one of two readers of the stream, which takes no third', () => {
    expect(all('Lambda::EventSourceMapping')).toHaveLength(2);
  });

  test('may tell this bus, and no other, and knows its name', () => {
    const puts = policyOf('PublishEvents').filter(({ Action }) =>
      [Action].flat().includes('events:PutEvents'),
    );
    expect(puts).toEqual([
      expect.objectContaining({ Effect: 'Allow', Resource: [expect.stringMatching(/^arn:EventsBus\w+$/)] }),
    ]);
    template.hasResourceProperties('AWS::Lambda::Function', {
      Description: 'Tell the event bus what happened',
      Environment: { Variables: Match.objectLike({ EVENT_BUS_NAME: bus }) },
    });
  });

  test('has alarms and a row of the dashboard', () => {
    for (const name of ['EventsAge', 'EventsGivenUp', 'EventsUndelivered', 'PublishEventsErrors']) {
      expect(all('CloudWatch::Alarm', `Alarms${name}`)).toHaveLength(1);
    }
    expect(JSON.stringify(all('CloudWatch::Dashboard'))).toContain('EventsTold');
  });
});

describe('an e-mail for each new testimonial', () => {
  test('goes from a rule to a topic by a role, which EventBridge has for this account alone', () => {
    template.hasResourceProperties('AWS::Events::Rule', {
      EventBusName: bus,
      EventPattern: { source: ['testimonials'], 'detail-type': ['testimonial.created'] },
      Targets: [
        Match.objectLike({
          Arn: { Ref: Match.stringLikeRegexp('^EventsNewTestimonialEmailTopic') },
          DeadLetterConfig: { Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^EventsUndelivered'), 'Arn'] } },
          InputTransformer: Match.objectLike({
            InputTemplate:
              '"<detail-organization> has a new testimonial, <detail-id>, which is <detail-status>."',
          }),
        }),
      ],
    });
    const [{ Arn: topic, RoleArn: role }] = one('Events::Rule', 'EventsNewTestimonialEmail').Properties
      .Targets;
    const [id = ''] = role['Fn::GetAtt'];
    expect(one('IAM::Role', id).Properties.AssumeRolePolicyDocument.Statement).toEqual([
      {
        Effect: 'Allow',
        Action: 'sts:AssumeRole',
        Principal: { Service: 'events.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      },
    ]);
    const allowed = all('IAM::Policy')
      .filter(({ Properties }) => Properties.Roles.some(({ Ref }: { Ref: string }) => Ref === id))
      .flatMap(({ Properties }) => Properties.PolicyDocument.Statement);
    expect(allowed).toEqual([{ Effect: 'Allow', Action: 'sns:Publish', Resource: topic }]);
    // The topic itself lets nobody in: its policy could not tell whose EventBridge it is.
    const policies = all('SNS::TopicPolicy').filter(
      ({ Properties }) => JSON.stringify(Properties.Topics) === JSON.stringify([topic]),
    );
    const effects = policies.flatMap(({ Properties }) =>
      Properties.PolicyDocument.Statement.map(({ Effect }: { Effect: string }) => Effect),
    );
    expect(effects).toEqual(['Deny']);
    template.hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'email',
      Endpoint: 'moderators@example.com',
    });
  });
});

describe('a webhook', () => {
  test('gets every event, with all the retries that EventBridge has, and then a queue does', () => {
    template.hasResourceProperties('AWS::Events::Rule', {
      EventBusName: bus,
      EventPattern: { source: ['testimonials'], 'detail-type': Match.absent() },
      Targets: [
        Match.objectLike({
          Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^EventsWebhookDestination'), 'Arn'] },
          RetryPolicy: { MaximumEventAgeInSeconds: 24 * 60 * 60, MaximumRetryAttempts: 185 },
          DeadLetterConfig: { Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^EventsUndelivered'), 'Arn'] } },
          InputTransformer: Match.absent(),
        }),
      ],
    });
    template.hasResourceProperties('AWS::Events::ApiDestination', {
      InvocationEndpoint: 'https://www.example.com/hook',
      HttpMethod: 'POST',
      InvocationRateLimitPerSecond: 10,
    });
  });

  test('is sent a key that stands in Secrets Manager, and in no template', () => {
    const { AuthParameters } = one('Events::Connection').Properties;
    const { ApiKeyName, ApiKeyValue } = AuthParameters.ApiKeyAuthParameters;
    expect(ApiKeyName).toBe('X-Api-Key');
    expect(JSON.stringify(ApiKeyValue)).toMatch(/\{\{resolve:secretsmanager:.*EventsWebhookKey/);
    template.hasOutput('WebhookKeyArn', {});
  });

  test('both queues may be written to by EventBridge for these rules alone', () => {
    const statements = all('SQS::QueuePolicy').flatMap(
      ({ Properties }) => Properties.PolicyDocument.Statement,
    );
    const allowed = statements.filter(({ Effect }) => Effect === 'Allow');
    expect(allowed).toHaveLength(2);
    for (const { Action, Principal, Condition } of allowed) {
      expect([Action, Principal]).toEqual(['sqs:SendMessage', { Service: 'events.amazonaws.com' }]);
      expect(Condition).toEqual({
        ArnEquals: { 'aws:SourceArn': { 'Fn::GetAtt': [expect.any(String), 'Arn'] } },
      });
    }
  });
});
