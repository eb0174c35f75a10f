import { describe, expect, test } from '@jest/globals';
import { Match } from 'aws-cdk-lib/assertions';
import { createTestimonialContract } from '../../functions/create-testimonial/contract.ts';
import { placeTakenMessage } from '../../functions/create-testimonial/place-taken.ts';
import { routeKey } from '../../functions/http/contract.ts';
import { foldMetrics } from '../../functions/index-testimonials/fold-metrics.ts';
import { listTestimonialsContract } from '../../functions/list-testimonials/contract.ts';
import { batchingWindowMs, foldTurnMs } from '../../functions/timing.ts';
import { synthesizeWith } from './synthesized.ts';

const { template } = synthesizeWith();
const prod = synthesizeWith({ stage: 'prod' }).template;

const indexNames = [
  'by-organization-created-at',
  'by-organization-updated-at',
  'by-organization-rating',
  'by-status-created-at',
  'by-status-updated-at',
  'by-status-rating',
];

/** The others are those by which the CDK deploys. */
const ofService = { Properties: { Architectures: ['arm64'] } };

describe('the table', () => {
  test('is on demand, encrypted, with a keys-only stream, TTL and point-in-time recovery', () => {
    template.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      KeySchema: [
        { AttributeName: 'PK', KeyType: 'HASH' },
        { AttributeName: 'SK', KeyType: 'RANGE' },
      ],
      BillingMode: 'PAY_PER_REQUEST',
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
      StreamSpecification: { StreamViewType: 'KEYS_ONLY' },
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
      Replicas: [
        Match.objectLike({ PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } }),
      ],
    });
  });

  test('has the six indexes, each with all attributes', () => {
    template.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      GlobalSecondaryIndexes: indexNames.map((name) =>
        Match.objectLike({ IndexName: name, Projection: { ProjectionType: 'ALL' } }),
      ),
    });
  });

  test('is kept and protected in prod, and deleted with any other stage', () => {
    prod.hasResource('AWS::DynamoDB::GlobalTable', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: { Replicas: [Match.objectLike({ DeletionProtectionEnabled: true })] },
    });
    template.hasResource('AWS::DynamoDB::GlobalTable', {
      DeletionPolicy: 'Delete',
      Properties: { Replicas: [Match.objectLike({ DeletionProtectionEnabled: false })] },
    });
  });
});

describe('the functions', () => {
  test('run on Node.js 24 on arm64, traced, and log JSON to their own log group', () => {
    const isAsExpected = Match.objectLike({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      TracingConfig: { Mode: 'Active' },
      LoggingConfig: { LogFormat: 'JSON', LogGroup: { Ref: Match.anyValue() } },
      Environment: {
        Variables: Match.objectLike({
          TABLE_NAME: { Ref: Match.anyValue() },
        }),
      },
    });
    const functions = Object.values(template.findResources('AWS::Lambda::Function', ofService));
    expect(functions).toHaveLength(3);
    for (const { Properties } of functions) {
      expect(isAsExpected.test(Properties).failCount).toBe(0);
    }
  });

  test.each([
    ['Create a testimonial', 10, 1024],
    ['List testimonials', 10, 1024],
    ['Keep the list index', 120, 1769],
  ])('%s: %i s, %i MB', (Description, Timeout, MemorySize) => {
    template.hasResourceProperties('AWS::Lambda::Function', { Description, Timeout, MemorySize });
  });

  test('keep their logs for a week, in prod for three months and beyond the stack', () => {
    const groups = Object.entries(template.findResources('AWS::Logs::LogGroup'));
    // That of the index function names erased testimonials, and outlives the backups that have them: 35 days.
    for (const [id, { Properties }] of groups)
      expect({ id, days: Properties.RetentionInDays }).toEqual({ id, days: id.startsWith('Index') ? 60 : 7 });
    template.allResources('AWS::Logs::LogGroup', { DeletionPolicy: 'Delete' });
    prod.allResources('AWS::Logs::LogGroup', {
      Properties: { RetentionInDays: 90 },
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
    });
  });

  test.each([
    ['CreateTestimonial', ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'], []],
    [
      'ListTestimonials',
      ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query'],
      indexNames.toSorted(),
    ],
    [
      'IndexTestimonials',
      [
        'dynamodb:BatchGetItem',
        'dynamodb:BatchWriteItem',
        'dynamodb:DeleteItem',
        'dynamodb:GetItem',
        'dynamodb:PutItem',
        'dynamodb:Query',
        'dynamodb:UpdateItem',
      ],
      [],
    ],
  ])('%s may do only what it calls', (name, tableActions, indexesRead) => {
    const statements = policyOf(name);
    const database = statements.filter(
      (statement) => [statement.Action].flat().some(isDatabaseAction) && !isStream(statement),
    );
    const onTable = database.filter(({ Resource }) => isTable(Resource));
    expect(onTable.map(({ Action }) => [Action].flat().sort())).toEqual([tableActions]);

    const onIndexes = database.filter(({ Resource }) => !isTable(Resource));
    expect(onIndexes.flatMap(({ Resource }) => [Resource].flat().map(indexName)).sort()).toEqual(indexesRead);
    expect(onIndexes.every(({ Action }) => Action === 'dynamodb:Query')).toBe(true);

    // What the stream and its dead-letter queue need is for another test.
    const others = statements.filter((statement) => !database.includes(statement) && !isStream(statement));
    expect(others.flatMap(({ Action }) => Action).sort()).toEqual([
      'logs:CreateLogStream',
      'logs:PutLogEvents',
      'xray:PutTelemetryRecords',
      'xray:PutTraceSegments',
    ]);
  });

  test('have no managed policy', () => {
    const roles = Object.entries(template.findResources('AWS::IAM::Role'));
    for (const [id, { Properties }] of roles) {
      // That of the CDK which invokes the index function after a deployment.
      if (!id.startsWith('AWSCDKTrigger')) expect(Properties.ManagedPolicyArns).toBeUndefined();
    }
  });
});

describe('a deployment', () => {
  test('invokes the index function when it has changed, and does not wait for it', () => {
    const [id] = Object.keys(template.findResources('AWS::Lambda::Version'));
    template.hasResourceProperties('Custom::Trigger', {
      HandlerArn: { Ref: id },
      InvocationType: 'Event',
      ExecuteOnHandlerChange: true,
    });
    expect(id).toMatch(/^IndexTestimonials/);
  });
});

describe('the list index', () => {
  test('is fed by testimonials, change markers and requests, in batches that may fail in part', () => {
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      EventSourceArn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^TestimonialsTable'), 'StreamArn'] },
      FunctionName: { Ref: Match.stringLikeRegexp('^IndexTestimonials') },
      FilterCriteria: {
        Filters: [
          {
            Pattern: JSON.stringify({
              eventName: ['INSERT'],
              dynamodb: {
                Keys: { SK: { S: [{ prefix: 'TESTIMONIAL#' }, { prefix: 'TESTIMONIAL_CHANGE#' }] } },
              },
            }),
          },
          {
            Pattern: JSON.stringify({
              eventName: ['INSERT', 'MODIFY'],
              dynamodb: { Keys: { SK: { S: ['FOLD_REQUEST'] } } },
            }),
          },
          {
            Pattern: JSON.stringify({
              eventName: ['MODIFY'],
              dynamodb: { Keys: { SK: { S: [{ prefix: 'TESTIMONIAL#' }] } } },
            }),
          },
        ],
      },
      MaximumBatchingWindowInSeconds: batchingWindowMs / 1000,
      ParallelizationFactor: 1,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      BisectBatchOnFunctionError: true,
      // Until the stream has it no longer: nobody else logs an erasure.
      MaximumRetryAttempts: Match.absent(),
      MaximumRecordAgeInSeconds: 23 * 60 * 60,
      DestinationConfig: { OnFailure: { Destination: Match.anyValue() } },
    });
  });

  test('reads the stream of the table and no other', () => {
    const [stream] = policyOf('IndexTestimonials').filter(({ Action }) =>
      [Action].flat().includes('dynamodb:GetRecords'),
    );
    expect(JSON.stringify(stream?.Resource)).toMatch(
      /^\{"Fn::GetAtt":\["TestimonialsTable\w+","StreamArn"\]\}$/,
    );
  });
});

describe('the alarms', () => {
  const alarms = Object.entries(template.findResources('AWS::CloudWatch::Alarm')).map(
    ([id, { Properties }]) => ({ id, ...Properties }),
  );
  const alarm = (name: string) => {
    const found = alarms.find(({ id }) => id.startsWith(`Alarms${name}`));
    if (!found) throw new Error(`There is no alarm ${name}`);
    return found;
  };

  test('each write to the topic, and say what is wrong and what to do', () => {
    expect(alarms).toHaveLength(19);
    for (const { AlarmActions, AlarmDescription } of alarms) {
      expect(AlarmActions).toEqual([{ Ref: expect.stringMatching(/^AlarmsTopic/) }]);
      expect(AlarmDescription).toMatch(/^.{20,}: .{10,}\.$/);
    }
  });

  test('may be published to the topic by CloudWatch, for this account only', () => {
    const topics = new Set(
      alarms.flatMap(({ AlarmActions }) => AlarmActions.map(({ Ref }: { Ref: string }) => Ref)),
    );
    expect(topics.size).toBe(1);
    const policies = Object.values(template.findResources('AWS::SNS::TopicPolicy'));
    for (const topic of topics) {
      const statements = policies
        .filter(({ Properties }) => Properties.Topics.some(({ Ref }: { Ref: string }) => Ref === topic))
        .flatMap(({ Properties }) => Properties.PolicyDocument.Statement);
      expect(statements.filter(({ Effect }) => Effect === 'Allow')).toEqual([
        expect.objectContaining({
          Principal: { Service: 'cloudwatch.amazonaws.com' },
          Action: 'sns:Publish',
          Resource: { Ref: topic },
          Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        }),
      ]);
    }
  });

  test('are raised by nothing that is usual: a window, a turn and its last step', () => {
    const usualMs = batchingWindowMs + 2 * foldTurnMs;
    expect(alarm('StreamAge')).toMatchObject({ MetricName: 'IteratorAge', Statistic: 'Maximum' });
    expect(alarm('StreamAge').Threshold).toBeGreaterThan(2 * usualMs);
    expect(alarm('FoldLag').Threshold).toBeGreaterThan(2 * (usualMs + batchingWindowMs));
    // Within minutes, not hours.
    for (const { Period = 300, EvaluationPeriods } of alarms) {
      expect(Period * EvaluationPeriods).toBeLessThanOrEqual(15 * 60);
    }
  });

  test.each([
    ['FoldLag', 'FoldLag'],
    ['FoldFailures', 'FoldFailures'],
    ['OtherTerms', 'PostingsOfOtherTerms'],
  ])('%s watches what the index function measures as %s', (name, metric) => {
    expect(alarm(name)).toMatchObject({
      Namespace: 'Testimonials',
      MetricName: metric,
      Dimensions: [{ Name: 'service', Value: 'IndexTestimonials' }],
    });
    const fn = Object.values(template.findResources('AWS::Lambda::Function')).find(
      ({ Properties }) => Properties.Environment.Variables.POWERTOOLS_SERVICE_NAME === 'IndexTestimonials',
    );
    expect(fn).toBeDefined();
    expect(Object.values(foldMetrics)).toContain(metric);
  });

  test('a place that is taken raises one, by what the create function logs', () => {
    expect(alarm('PlaceTaken')).toMatchObject({ Namespace: 'Testimonials', Threshold: 1 });
    const [filter] = Object.values(template.findResources('AWS::Logs::MetricFilter'));
    expect(filter?.Properties).toMatchObject({
      FilterPattern: `{ $.message = "${placeTakenMessage}" }`,
      LogGroupName: { Ref: expect.stringMatching(/^CreateTestimonialLogs/) },
      MetricTransformations: [
        { MetricName: alarm('PlaceTaken').MetricName, MetricNamespace: 'Testimonials', MetricValue: '1' },
      ],
    });
  });

  test('an organization that cannot be folded raises one, a single failure does not', () => {
    const { Threshold, Period } = alarm('FoldFailures');
    expect(Threshold).toBeGreaterThan(1);
    expect(Threshold).toBeLessThan((Period * 1000) / (batchingWindowMs + foldTurnMs));
  });

  test.each(['CreateTestimonial', 'ListTestimonials', 'IndexTestimonials'])(
    'watch the errors, throttles and duration of %s',
    (name) => {
      expect(alarm(`${name}Errors`)).toMatchObject({ MetricName: 'Errors' });
      expect(alarm(`${name}Throttles`)).toMatchObject({ MetricName: 'Throttles' });
      const functions = Object.entries(template.findResources('AWS::Lambda::Function'));
      const [, fn] = functions.find(([id]) => id.startsWith(name)) ?? [];
      const duration = alarm(`${name}Duration`);
      expect(duration).toMatchObject({ MetricName: 'Duration', ExtendedStatistic: 'p99' });
      expect(duration.Threshold).toBeLessThan(fn?.Properties.Timeout * 1000);
      expect(duration.Threshold).toBeGreaterThan(fn?.Properties.Timeout * 500);
    },
  );

  test('watch the dead letters, the API and the table', () => {
    expect(alarm('DeadLetters')).toMatchObject({
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Threshold: 1,
    });
    expect(alarm('ApiLatency')).toMatchObject({ MetricName: 'Latency', ExtendedStatistic: 'p99' });
    expect(JSON.stringify(alarm('ApiErrors').Metrics)).toMatch(/"MetricName":"5xx".*"MetricName":"Count"/);
    for (const [name, metric] of [
      ['TableThrottles', 'ThrottledRequests'],
      ['TableErrors', 'SystemErrors'],
    ] as const) {
      expect(JSON.stringify(alarm(name).Metrics)).toContain(`"MetricName":"${metric}"`);
    }
  });

  test('write to whom the context names, and to nobody else', () => {
    template.resourceCountIs('AWS::SNS::Subscription', 0);
    const { template: watched } = synthesizeWith({ alarmEmail: 'ops@example.com' });
    watched.hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'email',
      Endpoint: 'ops@example.com',
      TopicArn: { Ref: Match.stringLikeRegexp('^AlarmsTopic') },
    });
  });
});

describe('the API', () => {
  test('has the routes of the contracts, and one for whatever has no route', () => {
    const routes = Object.values(template.findResources('AWS::ApiGatewayV2::Route'));
    expect(routes.map(({ Properties }) => Properties.RouteKey).sort()).toEqual([
      '$default',
      routeKey(listTestimonialsContract),
      routeKey(createTestimonialContract),
    ]);
  });

  test('passes events in payload format 2.0', () => {
    template.allResourcesProperties('AWS::ApiGatewayV2::Integration', { PayloadFormatVersion: '2.0' });
  });

  test('throttles by default and logs each request as JSON without its headers', () => {
    template.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      StageName: '$default',
      DefaultRouteSettings: { ThrottlingRateLimit: 1000, ThrottlingBurstLimit: 2000 },
      AccessLogSettings: { Format: Match.stringLikeRegexp('"requestId":"\\$context.requestId"') },
    });
  });

  test('allows no other origin unless the context names some', () => {
    template.hasResourceProperties('AWS::ApiGatewayV2::Api', { CorsConfiguration: Match.absent() });
    const { template: open } = synthesizeWith({ corsOrigins: 'https://a.example, https://b.example' });
    open.hasResourceProperties('AWS::ApiGatewayV2::Api', {
      CorsConfiguration: Match.objectLike({
        AllowOrigins: ['https://a.example', 'https://b.example'],
        AllowHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key'],
      }),
    });
  });
});

describe('a table that was restored from a backup', () => {
  const name = 'testimonials-restored';
  const arn = `arn:aws:dynamodb:eu-central-1:123456789012:table/${name}`;
  const streamArn = `${arn}/stream/2026-11-22T03:11:02.622`;
  const recoveredTable = `prod=${streamArn}`;
  const { template: adopted } = synthesizeWith({ stage: 'prod', recoveredTable });
  const namedAfterTable =
    /Testimonials(Table|Recovered)[0-9A-F]+|(?<=CurrentVersion)[0-9A-F]{8}[0-9a-f]{32}/g;
  /** Without what the CDK names after a table, or writes otherwise where it knows an ARN. */
  const normal = (json: string) =>
    JSON.parse(json.replaceAll(namedAfterTable, ''), (_, value) => {
      const parts: unknown = value?.['Fn::Join']?.[1];
      return Array.isArray(parts) && parts.every((part) => typeof part === 'string') ? parts.join('') : value;
    });

  test('takes the place of the stack’s own, which is kept', () => {
    adopted.resourceCountIs('AWS::DynamoDB::GlobalTable', 0);
    const [own] = Object.values(prod.findResources('AWS::DynamoDB::GlobalTable'));
    expect(own).toMatchObject({ DeletionPolicy: 'Retain' });
    adopted.hasOutput('TableName', { Value: name });
  });

  test('is what functions, policies, alarms and the stream’s mapping name, and nothing else changes', () => {
    const [id = ''] = Object.keys(prod.findResources('AWS::DynamoDB::GlobalTable'));
    const { Resources, ...rest } = prod.toJSON();
    const { [id]: _, ...others } = Resources;
    const references: [unknown, string][] = [
      [{ 'Fn::GetAtt': [id, 'StreamArn'] }, streamArn],
      [{ 'Fn::GetAtt': [id, 'Arn'] }, arn],
      [{ Ref: id }, name],
    ];
    const expected = references.reduce(
      (json, [reference, value]) => json.replaceAll(JSON.stringify(reference), JSON.stringify(value)),
      JSON.stringify({ ...rest, Resources: others }),
    );
    expect(normal(JSON.stringify(adopted.toJSON()))).toEqual(normal(expected));
  });

  test('is of one stage: the others have their own', () => {
    expect(synthesizeWith({ recoveredTable }).template.toJSON()).toEqual(template.toJSON());
  });
});

test('the stack says its URL, its table and where erasures are logged', () => {
  template.hasOutput('ApiUrl', {});
  template.hasOutput('TableName', {});
  template.hasOutput('ErasureLog', { Value: { Ref: Match.stringLikeRegexp('^IndexTestimonialsLogs') } });
});

test('the whole template is as last reviewed', () => {
  expect(withoutHashes(template.toJSON())).toMatchSnapshot();
});

interface Statement {
  Action: string | string[];
  Resource: unknown;
}

function policyOf(functionName: string): Statement[] {
  const policies = Object.entries(template.findResources('AWS::IAM::Policy'));
  const policy = policies.find(([id]) => id.startsWith(functionName));
  return policy?.[1].Properties.PolicyDocument.Statement ?? [];
}

function isDatabaseAction(action: string): boolean {
  return action.startsWith('dynamodb:');
}

function isStream({ Action }: Statement): boolean {
  return [Action].flat().some((action) => action.startsWith('sqs:') || action === 'dynamodb:GetRecords');
}

function isTable(resource: unknown): boolean {
  return /^\{"Fn::GetAtt":\["TestimonialsTable\w+","Arn"\]\}$/.test(JSON.stringify(resource));
}

function indexName(resource: unknown): string | undefined {
  return /\/index\/([\w-]+)"/.exec(JSON.stringify(resource))?.[1];
}

// What differs from one machine or one build to the next.
function withoutHashes(json: object): unknown {
  const text = JSON.stringify(json, (key, value) => (key === 'aws:asset:path' ? '<asset path>' : value));
  return JSON.parse(
    text
      .replaceAll(/\b[0-9a-f]{64}\b/g, '<asset hash>')
      .replaceAll(/(?<=CurrentVersion[0-9A-F]{8})[0-9a-f]{32}/g, '<version hash>'),
  );
}
