import { describe, expect, test } from '@jest/globals';
import { Match } from 'aws-cdk-lib/assertions';
import { eventWindowMs } from '../../functions/timing.ts';
import { isRaised, type MathAlarm } from './metric-math.ts';
import { synthesizeWith } from './synthesized.ts';

const { template, all, one, policyOf } = synthesizeWith({
  protect: 'true',
  events: 'true',
  newTestimonialEmail: 'moderators@example.com',
  webhookUrl: 'https://www.example.com/hook',
});
const alone = synthesizeWith({ events: 'true' });
const bus = { Ref: Match.stringLikeRegexp('^EventsBus') };
/** Matches the ARN of a resource by the beginning of its id. */
const arnOf = (id: string) => ({ 'Fn::GetAtt': [expect.stringMatching(`^${id}`), 'Arn'] });

test('the targets of the bus exist only if the context asks for them', () => {
  expect(alone.all('Events::EventBus')).toHaveLength(1);
  for (const type of ['Events::Rule', 'SecretsManager::Secret', 'Events::Connection']) {
    expect(alone.all(type)).toEqual([]);
  }
  template.hasOutput('EventBusName', { Value: bus });
});

describe('the function that publishes events', () => {
  test('reads every record of the index function, and imports, a second after their writes, as the second reader', () => {
    const [index, source, ...others] = all('Lambda::EventSourceMapping')
      .map(({ Properties }) => Properties)
      .filter(({ EventSourceArn }) => EventSourceArn['Fn::GetAtt'][1] === 'StreamArn');
    expect(others).toEqual([]);
    const imports = {
      eventName: ['INSERT', 'MODIFY'],
      dynamodb: { Keys: { SK: { S: [{ prefix: 'IMPORT#' }] } } },
    };
    const filters = [...index.FilterCriteria.Filters, { Pattern: JSON.stringify(imports) }];
    // The maximum (https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html).
    expect(filters.length).toBeLessThanOrEqual(5);
    expect(source).toMatchObject({
      EventSourceArn: { 'Fn::GetAtt': [expect.stringMatching('^TestimonialsTable'), 'StreamArn'] },
      FilterCriteria: { Filters: filters },
      MaximumBatchingWindowInSeconds: eventWindowMs / 1000,
      MaximumRecordAgeInSeconds: 23 * 60 * 60,
      DestinationConfig: { OnFailure: { Destination: arnOf('EventsDeadLetters') } },
    });
  });

  test('may publish to this bus only, and knows its name', () => {
    const puts = policyOf('PublishEvents').filter(({ Action }) => Action.includes('events:PutEvents'));
    expect(puts).toEqual([
      expect.objectContaining({ Effect: 'Allow', Resource: [expect.stringMatching(/^arn:EventsBus\w+$/)] }),
    ]);
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ EVENT_BUS_NAME: bus }) },
    });
  });

  test('has alarms and graphs', () => {
    for (const name of [
      'EventsAge',
      'EventsStopped',
      'EventsGivenUp',
      'EventsUndelivered',
      'PublishEventsErrors',
    ]) {
      expect(all('CloudWatch::Alarm', `Alarms${name}`)).toHaveLength(1);
    }
    expect(JSON.stringify(all('CloudWatch::Dashboard'))).toContain('EventsPublished');
  });
});

describe('the alarm for events that stop', () => {
  const stopped: MathAlarm = one('CloudWatch::Alarm', 'AlarmsEventsStopped').Properties;

  test.each([
    [{ indexed: 3 }, true],
    [{ indexed: 3, published: 1 }, false],
    [{ published: 1 }, false],
    [{}, false],
  ])('at %j: %j', (measured, raised) => {
    expect(isRaised(stopped, measured)).toBe(raised);
  });

  test('counts the invocations by the stream only, in two hours of a day, in every stage', () => {
    const [, ...metrics] = stopped.Metrics;
    const dimensions = metrics.map(({ MetricStat: { Metric, Period } }) => {
      expect(Period).toBe(3600);
      return Metric.Dimensions.find(({ Name }) => Name === 'Resource')?.Value;
    });
    // The events function has no other source, and its alias is its only one.
    expect(JSON.stringify(dimensions)).toMatch(/IndexTestimonials.*:live/);
    expect(stopped).toMatchObject({ EvaluationPeriods: 24, DatapointsToAlarm: 2 });
    expect(alone.all('CloudWatch::Alarm', 'AlarmsEventsStopped')).toHaveLength(1);
  });
});

test("an e-mail for each new testimonial goes through a topic, with a role that only this account's EventBridge can assume", () => {
  const { EventPattern, Targets } = one('Events::Rule', 'EventsNewTestimonialEmail').Properties;
  expect(EventPattern).toEqual({ source: ['testimonials'], 'detail-type': ['testimonial.created'] });
  const [{ Arn: topic, RoleArn: role, DeadLetterConfig, InputTransformer }] = Targets;
  expect(topic).toEqual({ Ref: expect.stringMatching('^EventsNewTestimonialEmailTopic') });
  expect(DeadLetterConfig).toEqual({ Arn: arnOf('EventsUndelivered') });
  const message = '"New testimonial for <detail-organization>: <detail-id> (<detail-status>).';
  expect(InputTransformer.InputTemplate).toBe(`${message}"`);
  const options = { events: 'true', newTestimonialEmail: 'moderators@example.com', desk: 'true' };
  const [rule] = synthesizeWith(options).all('Events::Rule');
  // The URL of the API is known only after the deployment.
  const [withLink] = rule?.Properties.Targets ?? [];
  expect(JSON.stringify(withLink.InputTransformer.InputTemplate)).toMatch(
    /\(<detail-status>\)\. Review it at .*ApiEndpoint.*\/desk\/queue/,
  );
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
  // The topic's policy allows nothing, because it could not limit the account of EventBridge.
  const [policy, ...others] = all('SNS::TopicPolicy').filter(
    ({ Properties }) => JSON.stringify(Properties.Topics) === JSON.stringify([topic]),
  );
  expect(others).toEqual([]);
  expect(policy?.Properties.PolicyDocument.Statement).toEqual([expect.objectContaining({ Effect: 'Deny' })]);
  const subscription = { Protocol: 'email', Endpoint: 'moderators@example.com', TopicArn: topic };
  expect(all('SNS::Subscription').map(({ Properties }) => Properties)).toContainEqual(subscription);
});

describe('a webhook', () => {
  test('gets every event with all retries of EventBridge; undelivered events go to a queue', () => {
    const { EventPattern, Targets } = one('Events::Rule', 'EventsWebhook').Properties;
    expect(EventPattern).toEqual({ source: ['testimonials'] });
    expect(Targets).toEqual([
      {
        Id: expect.any(String),
        Arn: arnOf('EventsWebhookDestination'),
        RoleArn: arnOf('Events'),
        RetryPolicy: { MaximumEventAgeInSeconds: 24 * 60 * 60, MaximumRetryAttempts: 185 },
        DeadLetterConfig: { Arn: arnOf('EventsUndelivered') },
      },
    ]);
    expect(one('Events::ApiDestination').Properties).toMatchObject({
      InvocationEndpoint: 'https://www.example.com/hook',
      HttpMethod: 'POST',
      InvocationRateLimitPerSecond: 10,
    });
  });

  test('gets a key from Secrets Manager, which no template contains', () => {
    const { AuthParameters } = one('Events::Connection').Properties;
    const { ApiKeyName, ApiKeyValue } = AuthParameters.ApiKeyAuthParameters;
    expect(ApiKeyName).toBe('X-Api-Key');
    expect(JSON.stringify(ApiKeyValue)).toMatch(/\{\{resolve:secretsmanager:.*EventsWebhookKey/);
    template.hasOutput('WebhookKeyArn', {});
  });

  test('only these rules may write to the queues', () => {
    const statements = all('SQS::QueuePolicy').flatMap(
      ({ Properties }) => Properties.PolicyDocument.Statement,
    );
    expect(statements.filter(({ Effect }) => Effect === 'Allow')).toEqual(
      Array(2).fill(
        expect.objectContaining({
          Action: 'sqs:SendMessage',
          Principal: { Service: 'events.amazonaws.com' },
          Condition: { ArnEquals: { 'aws:SourceArn': arnOf('') } },
        }),
      ),
    );
  });
});
