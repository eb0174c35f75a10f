import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { Match } from 'aws-cdk-lib/assertions';
import { positionTakenMessage } from '../../functions/domain/outcomes.ts';
import { unreadableMessage } from '../../functions/domain/unreadable.ts';
import { projectedAttributes } from '../../functions/dynamodb/keys.ts';
import { dayUsedUpMessage } from '../../functions/http/fair-use.ts';
import { erasedMessage } from '../../functions/index-testimonials/handler.ts';
import { batchingWindowMs, indexTurnMs } from '../../functions/timing.ts';
import { functionStatements, retiringRights, tableRights } from '../../lib/infrastructure/table-rights.ts';
import { isRetiring } from '../iam/acting.ts';
import { decide, type Statement } from '../iam/decide.ts';
import { bucketDefinition } from '../media-bucket.ts';
import { anchorOf, chapterOf, sectionsOf, tableOf } from '../operations-page.ts';
import { isRaised, type MathPart } from './metric-math.ts';
import { apiFunctions, everything, otherTemplate, recoveredTable, synthesizeWith } from './synthesized.ts';

const dev = synthesizeWith();
const { template, policyOf, requestOf } = dev;
const { template: prod, all, one } = synthesizeWith({ stage: 'prod' });
const complete = synthesizeWith({ stage: 'prod', ...everything });

const functionNames = ['CreateTestimonial', 'ListTestimonials', 'IndexTestimonials'];

test('all secondary indexes together project no more attributes than a table may', () => {
  const indexes = dev.one('DynamoDB::GlobalTable').Properties.GlobalSecondaryIndexes;
  // docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html
  expect(projectedAttributes.length * indexes.length).toBeLessThanOrEqual(100);
});

test('the table is kept and protected in prod, and deleted with any other stage', () => {
  const isProtected = (DeletionProtectionEnabled: boolean) => ({ Replicas: [{ DeletionProtectionEnabled }] });
  const kept = { DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' };
  expect(one('DynamoDB::GlobalTable')).toMatchObject({ ...kept, Properties: isProtected(true) });
  const deleted = { DeletionPolicy: 'Delete', Properties: isProtected(false) };
  expect(dev.one('DynamoDB::GlobalTable')).toMatchObject(deleted);
});

test('the bucket deletes uploads, drafts and the media of checks within two days, as the tests emulate it', () => {
  const { Rules } = synthesizeWith({ pages: true, media: true }).one('S3::Bucket', 'Media').Properties
    .LifecycleConfiguration;
  const rules = Rules.map((rule: Record<string, unknown>) => {
    const [tag] = (rule.TagFilters as { Key: string; Value: string }[] | undefined) ?? []; // as S3 has it
    return {
      prefix: rule.Prefix,
      days: rule.ExpirationInDays,
      ...(tag && { tag: { key: tag.Key, value: tag.Value } }),
    };
  });
  expect(rules).toEqual(bucketDefinition.lifecycle);
});

describe('the functions', () => {
  test('of the API have the limits of an organization, by default a quarter of the stage’s requests', () => {
    const limitsOf = (context: Record<string, unknown>) =>
      synthesizeWith(context)
        .all('Lambda::Function')
        .map(({ Properties }) => Properties.Environment?.Variables ?? {})
        .filter(({ ORGANIZATION_RATE }) => ORGANIZATION_RATE !== undefined)
        .map((each) => [each.ORGANIZATION_BUDGET, each.ORGANIZATION_DAILY_BUDGET, each.ORGANIZATION_RATE]);
    const every = { stage: 'prod', ...everything };
    expect(limitsOf(every)).toEqual(Array(apiFunctions.length).fill(['0.5', '10', '1250']));
    const none = { organizationBudget: '0', organizationDailyBudget: '0', organizationRate: '0' };
    expect(limitsOf(none)).toEqual(Array(2).fill(['0', '0', '0']));
    expect(limitsOf({ stageRate: '100' })).toEqual(Array(2).fill(['0.5', '10', '25']));
    expect(synthesizeWith({ stageRate: '100' }).one('ApiGatewayV2::Stage').Properties).toMatchObject({
      DefaultRouteSettings: { ThrottlingRateLimit: 100, ThrottlingBurstLimit: 100 },
    });
  });

  test('keep logs for a week, and in prod for three months and longer than the stack', () => {
    // The index function's log lists the erasures and must outlive the backups, which last 35 days.
    for (const { id, Properties } of dev.all('Logs::LogGroup'))
      expect({ id, days: Properties.RetentionInDays }).toEqual({ id, days: id.startsWith('Index') ? 60 : 7 });
    prod.allResources('AWS::Logs::LogGroup', {
      Properties: { RetentionInDays: 90 },
      DeletionPolicy: 'RetainExceptOnCreate',
      UpdateReplacePolicy: 'Retain',
    });
    // Includes the log of the function that invokes the trigger.
    const groups = all('Lambda::Function').map(({ Properties }) => Properties.LoggingConfig.LogGroup.Ref);
    const kept = all('Logs::LogGroup').map(({ id }) => id);
    expect(kept).toEqual(expect.arrayContaining(groups));
  });

  test.each(functionNames)('%s may only write its log and use the table', (name) => {
    const others = policyOf(name).filter((statement) => !isStream(statement) && !isDatabase(statement));
    expect(others.flatMap(({ Action }) => Action).sort()).toEqual([
      'logs:CreateLogStream',
      'logs:PutLogEvents',
    ]);
  });

  test.each(functionNames)('%s never writes a token, even if another statement allows it', (name) => {
    const everything: Statement = { Effect: 'Allow', Action: 'dynamodb:*', Resource: '*' };
    for (const action of ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'PartiQLInsert']) {
      for (const partitions of [['TOKEN#1'], ['ORG#acme', 'TOKEN#1']]) {
        const { isAllowed, by } = decide([...policyOf(name), everything], requestOf(action, ...partitions));
        expect([isAllowed, by?.Sid]).toEqual([false, 'NeverWritesTokens']);
      }
    }
  });

  test.each(['Operator/Read', 'Operator/Write', ...functionNames])(
    '%s has rights only by kind of item',
    (name) => {
      const actions = ['GetItem', 'BatchGetItem', 'Query', 'Scan', 'PutItem', 'UpdateItem', 'DeleteItem'];
      for (const action of actions) {
        expect(decide(policyOf(name), requestOf(action)).isAllowed).toBe(false);
        expect(decide(policyOf(name), requestOf(action, 'ORG#acme', 'TOKEN#1')).isAllowed).toBe(false);
      }
    },
  );

  test('have no managed policy', () => {
    for (const { id, Properties } of dev.all('IAM::Role')) {
      // Except the CDK's role that invokes the index function after a deployment.
      if (!id.startsWith('AWSCDKTrigger')) expect(Properties.ManagedPolicyArns).toBeUndefined();
    }
  });
});

describe('a right that only the last release uses', () => {
  const arns = { table: 'arn:table', secondaryIndexes: [] };
  const rights = { ListTestimonials: { organization: ['DeleteItem'] } } as const;
  const statementsFor = (name: string) =>
    functionStatements(name, tableRights.list, arns, { lastUsedBy: '1.0.0', rights });
  const deletion = {
    action: 'dynamodb:DeleteItem',
    resource: arns.table,
    context: { 'dynamodb:LeadingKeys': ['ORG#acme'] },
  };

  test('stays in the policy of its function, under a name that no test accepts', () => {
    const { isAllowed, by } = decide(statementsFor('ListTestimonials'), deletion);
    expect([isAllowed, by && isRetiring(by)]).toEqual([true, true]);
    expect(decide(statementsFor('CreateTestimonial'), deletion).isAllowed).toBe(false);
  });

  test('is taken away after the next release', () => {
    // The last release of the changelog; while a release is prepared, the one before.
    const changelog = readFileSync('CHANGELOG.md', 'utf8');
    const [last, before] = [...changelog.matchAll(/^## (\d+\.\d+\.\d+) /gm)].map(([, version]) => version);
    const lastRelease = /^## Unreleased\s+(?!## |\s)/m.test(changelog) ? last : before;
    // Empty the list in lib/infrastructure/retiring-rights.json, or name the release that uses the rights.
    const isEmpty = Object.keys(retiringRights.rights).length === 0;
    expect(isEmpty || retiringRights.lastUsedBy === lastRelease).toBe(true);
  });
});

test('the index function reads the stream of the table and no other', () => {
  const [stream] = policyOf('IndexTestimonials').filter(({ Action }) =>
    Action.includes('dynamodb:GetRecords'),
  );
  expect(stream?.Resource).toEqual([expect.stringMatching(/^arn:TestimonialsTable\w+\/StreamArn$/)]);
});

describe('the alarms', () => {
  const alarms = all('CloudWatch::Alarm').map(({ Properties }): Alarm => Properties);
  const alarm = (name: string): Alarm => one('CloudWatch::Alarm', `Alarms${name}`).Properties;
  const frontDoor = otherTemplate({ stage: 'prod', ...everything }, 'front-door');
  const allAlarms = [
    ...complete.all('CloudWatch::Alarm'),
    ...Object.values(frontDoor.findResources('AWS::CloudWatch::Alarm')),
  ].map(({ Properties }): Alarm => Properties);
  /** Lists the sections of docs/alarms.md that alarms name. */
  const sectionsWith = (some: readonly Alarm[]) =>
    [...new Set(some.map(({ AlarmDescription }) => AlarmDescription.split('#')[1]))].toSorted();

  test('publish to a topic when they begin and end, and describe problem and remedy', () => {
    expect(alarms).toHaveLength(26);
    for (const { AlarmActions, OKActions, AlarmDescription } of alarms) {
      expect(AlarmActions).toEqual([{ Ref: expect.stringMatching(/^Alarms(Other)?Topic/) }]);
      expect(OKActions).toEqual(AlarmActions);
      expect(AlarmDescription).toMatch(/^.{20,}: .{10,}\. docs\/alarms\.md#[a-z-]+$/);
    }
  });

  test('are urgent if clients notice the problem; all others can wait', () => {
    const urgent = allAlarms.filter(({ AlarmActions }) => AlarmActions[0]?.Ref.startsWith('AlarmsTopic'));
    const [[, listed = ''] = []] = tableOf('Alarms');
    expect(sectionsWith(urgent)).toEqual(listed.split(', ').map(anchorOf).toSorted());
    for (const [output, topic] of [
      ['UrgentAlarmTopic', 'AlarmsTopic'],
      ['OtherAlarmTopic', 'AlarmsOtherTopic'],
    ] as const)
      prod.hasOutput(output, { Value: { Ref: Match.stringLikeRegexp(`^${topic}`) } });
  });

  test('count the requests of an hour, if there may be too few', () => {
    const { Metrics, ...others } = complete.one('CloudWatch::Alarm', 'AlarmsNoTraffic').Properties;
    expect(Metrics.slice(1).map(({ MetricStat }: MathPart) => MetricStat.Period)).toEqual([3600]);
    expect(others).toMatchObject({ Threshold: 1, EvaluationPeriods: 1 });
    expect(all('CloudWatch::Alarm', 'AlarmsNoTraffic')).toEqual([]);
  });

  test('tell of an organization that is refused for a quarter of an hour, whichever function refuses', () => {
    expect(alarm('OrganizationRefused')).toMatchObject({
      MetricName: 'RequestsRefused',
      Threshold: 1,
      Period: 300,
      EvaluationPeriods: 3,
    });
    const refusing = complete
      .all('Logs::MetricFilter')
      .filter(({ Properties }) => Properties.MetricTransformations[0].MetricName === 'RequestsRefused')
      .map(({ Properties }) => Properties.LogGroupName.Ref.replace(/Logs\w+$/, ''));
    expect(refusing.toSorted()).toEqual(apiFunctions.toSorted());
  });

  test('have one section each in docs/alarms.md', () => {
    expect(sectionsWith(allAlarms)).toEqual(sectionsOf('Alarms').map(anchorOf).toSorted());
  });

  test.each([
    ...[positionTakenMessage, unreadableMessage, erasedMessage].map((message) => ['message', message]),
    ['reason', dayUsedUpMessage],
  ])('the pages for operators filter by the %s “%s”', (field, text) => {
    expect(chapterOf('Alarms') + chapterOf('Restore from a backup')).toContain(`$.${field} = "${text}"`);
  });

  test('reach the topic from this account only', () => {
    const topics = new Set(alarms.flatMap(({ AlarmActions }) => AlarmActions.map(({ Ref }) => Ref)));
    expect(topics.size).toBe(2);
    for (const topic of topics) {
      const statements = all('SNS::TopicPolicy')
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

  test('stay silent during a usual batching window, invocation and last step', () => {
    const usualMs = batchingWindowMs + 2 * indexTurnMs;
    expect(alarm('StreamAge')).toMatchObject({ MetricName: 'IteratorAge', Statistic: 'Maximum' });
    expect(alarm('StreamAge').Threshold).toBeGreaterThan(2 * usualMs);
    expect(alarm('IndexUpdateLag').Threshold).toBeGreaterThan(2 * (usualMs + batchingWindowMs));
    // Within minutes, not hours.
    for (const { Period = 300, EvaluationPeriods } of alarms) {
      expect(Period * EvaluationPeriods).toBeLessThanOrEqual(15 * 60);
    }
  });

  test.each<[string, Record<string, number | undefined>, boolean]>([
    ['ApiErrors', { requests: 10_000, failed: 100 }, true],
    ['ApiErrors', { requests: 10_000, failed: 99 }, false],
    ['ApiErrors', { requests: 10_000 }, false],
    ['ApiErrors', { requests: 20, failed: 4 }, false],
    ['ApiErrors', { requests: 20, failed: 5 }, true],
    ['ApiErrors', { requests: 10_000, failed: 500, notReady: 450 }, false],
    ['ApiErrors', { requests: 100, failed: 14, notReady: 10 }, false],
    ['ApiOutage', { requests: 5, failed: 5 }, true],
    ['ApiOutage', { requests: 19, failed: 10 }, true],
    ['ApiOutage', { requests: 19, failed: 9 }, false],
    ['ApiOutage', { requests: 4, failed: 4 }, false],
    ['ApiOutage', { requests: 5, failed: 5, notReady: 4 }, false],
    ['ApiErrors', { requests: 6, failed: 6, notReady: 6 }, false],
    ['ApiOutage', { requests: 6, failed: 6, notReady: 6 }, false],
    ['NoTraffic', {}, true],
    ['NoTraffic', { requests: 9 }, true],
    ['NoTraffic', { requests: 10 }, false],
    ['RepeatedFailures', { requests: 3000, failed: 6 }, true],
    ['RepeatedFailures', { requests: 3000, failed: 5 }, false],
    ['RepeatedFailures', { requests: 5, failed: 3 }, true],
    ['RepeatedFailures', { requests: 6, failed: 3 }, false],
    ['RepeatedFailures', { requests: 2, failed: 2 }, false],
    ['RepeatedFailures', { requests: 3000, failed: 6, notReady: 1 }, false],
    ['TableThrottles', { throttledRequestsDeleteItem: 60, throttledRequestsQuery: 40 }, true],
    ['TableThrottles', { throttledRequestsDeleteItem: 60 }, false],
    ['TableErrors', { systemErrorsBatchGetItem: 10 }, true],
  ])('%s at %j: %j', (name, measured, raised) => {
    expect(isRaised(complete.one('CloudWatch::Alarm', `Alarms${name}`).Properties, measured)).toBe(raised);
  });

  test('ignore failures in a single period: they have to occur in two of three', () => {
    expect(alarm('ApiErrors')).toMatchObject({ EvaluationPeriods: 3, DatapointsToAlarm: 2 });
    // The rollout takes twenty minutes, so two periods end in time to stop it.
    expect(alarm('ApiErrors').Metrics?.[1]?.MetricStat.Period).toBe(300);
  });

  test('find failures that repeat within three hours', () => {
    expect(alarm('RepeatedFailures')).toMatchObject({ Threshold: 1, EvaluationPeriods: 1 });
    expect(alarm('RepeatedFailures').Metrics?.[1]?.MetricStat.Period).toBe(3 * 60 * 60);
  });

  test('of an unprotected stage watch the ten metrics that are free', () => {
    const few = dev.all('CloudWatch::Alarm');
    const metrics = few.map(({ Properties }): number => {
      const { Metrics }: Alarm = Properties;
      return Metrics?.filter((each) => 'MetricStat' in each).length ?? 1;
    });
    expect(metrics.reduce((a, b) => a + b)).toBe(10);
  });

  test('include one for repeated failures of index updates, but not for a single one', () => {
    const { Threshold, Period } = alarm('IndexUpdateFailures');
    expect(Threshold).toBeGreaterThan(1);
    expect(Threshold).toBeLessThan((Period * 1000) / (batchingWindowMs + indexTurnMs));
  });

  test.each([...apiFunctions, 'IndexTestimonials', 'PublishEvents'])(
    'watch errors, throttles and duration of %s',
    (name) => {
      const properties = (type: string, id: string) => complete.one(type, id).Properties;
      const watching = (what: string) => properties('CloudWatch::Alarm', `Alarms${name}${what}`);
      expect(watching('Errors')).toMatchObject({ MetricName: 'Errors' });
      expect(watching('Throttles')).toMatchObject({ MetricName: 'Throttles' });
      const { Timeout } = properties('Lambda::Function', name);
      const duration = watching('Duration');
      expect(duration).toMatchObject({ MetricName: 'Duration', ExtendedStatistic: 'p99' });
      expect(duration.Threshold).toBeLessThan(Timeout * 1000);
      expect(duration.Threshold).toBeGreaterThan(Timeout * 500);
    },
  );

  test.each([
    ['TableThrottles', 'ThrottledRequests'],
    ['TableErrors', 'SystemErrors'],
  ])('%s sums %s of every operation that a function may call', (name, MetricName) => {
    const metrics = alarm(name).Metrics?.slice(1) ?? [];
    const watched = metrics.map(({ MetricStat: { Metric } }) => {
      expect(Metric.MetricName).toBe(MetricName);
      return Metric.Dimensions.find(({ Name }) => Name === 'Operation')?.Value;
    });
    const allowed = functionNames
      .flatMap((name) => policyOf(name))
      .filter((each) => each.Effect === 'Allow' && isDatabase(each) && !isStream(each))
      .flatMap(({ Action }) => [Action].flat())
      .map((action) => action.replace('dynamodb:', ''));
    expect(allowed).toContain('DeleteItem');
    expect(watched.toSorted()).toEqual([...new Set(allowed)].toSorted());
  });
});

test('the API logs the route of a request but not its URL, which may contain a secret', () => {
  const { Format } = dev.one('ApiGatewayV2::Stage').Properties.AccessLogSettings;
  const { route, ...others } = JSON.parse(Format);
  expect(route).toBe('$context.routeKey');
  const secretFields = Object.values(others).filter((field) =>
    /path|query|request\.|referer/i.test(String(field)),
  );
  expect(secretFields).toEqual([]);
});

test('the API allows only the origins in the context', () => {
  const corsOf = (context: Record<string, string>) =>
    synthesizeWith(context).one('ApiGatewayV2::Api').Properties.CorsConfiguration;
  expect(corsOf({})).toBeUndefined();
  expect(corsOf({ corsOrigins: 'https://a.example, https://b.example' })).toMatchObject({
    AllowOrigins: ['https://a.example', 'https://b.example'],
    AllowHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key'],
  });
});

describe('the dashboard', () => {
  const { Properties: dashboard } = one('CloudWatch::Dashboard');
  const parts: unknown[] = dashboard.DashboardBody['Fn::Join'][1];
  const { widgets } = JSON.parse(parts.map((part) => (typeof part === 'string' ? part : 'x')).join(''));

  test('exists only in a protected stage, and shows all alarms above the graphs', () => {
    template.resourceCountIs('AWS::CloudWatch::Dashboard', 0);
    expect(widgets[0].properties.alarms).toHaveLength(26);
    expect(widgets.slice(1).every(({ properties }: Widget) => 'metrics' in properties)).toBe(true);
  });
});

describe('a table that was restored from a backup', () => {
  test('replaces the table in functions, policies, alarms and stream mapping, and changes nothing else', () => {
    const adopted = synthesizeWith({ recoveredTable });
    const { id } = dev.one('DynamoDB::GlobalTable');
    expect(JSON.stringify(adopted.json)).not.toContain(id);
    for (const name of functionNames) {
      const { Description, Environment } = adopted.one('Lambda::Function', name).Properties;
      expect(Environment.Variables.TABLE_NAME).toBe('restored');
      // So that a change of the table publishes a version.
      expect(Description).toMatch(/: restored$/);
      const tables = adopted.policyOf(name).filter((each) => isDatabase(each) && !isStream(each));
      for (const arn of tables.flatMap(({ Resource }) => Resource)) expect(arn).toMatch(/:table\/restored/);
    }
    expect(adopted.one('Lambda::EventSourceMapping').Properties.EventSourceArn).toBe(recoveredTable);
    const typesOf = ({ json }: typeof dev) => Object.values(json.Resources).map((each) => Object(each).Type);
    const without = typesOf(dev).filter((type) => type !== 'AWS::DynamoDB::GlobalTable');
    expect(typesOf(adopted).toSorted()).toEqual(without.toSorted());
  });

  test('replaces the stack’s own table at once, because previous versions may not read it', () => {
    const { template: adopted } = synthesizeWith({ stage: 'prod', recoveredTable });
    for (const type of ['AWS::DynamoDB::GlobalTable', 'AWS::CodeDeploy::DeploymentGroup']) {
      adopted.resourceCountIs(type, 0);
    }
    adopted.hasOutput('TableName', { Value: 'restored' });
  });

  test('can be imported into the stack by its name, as the page says', () => {
    const { id, Properties } = one('DynamoDB::GlobalTable');
    // An imported resource has no other name
    // (https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/import-resources.html).
    expect(Properties).not.toHaveProperty('TableName');
    const page = chapterOf('Restore from a backup');
    expect(page).toContain(`--resource-mapping-inline '{"${id}": {"TableName": "'$NEW'"}}'`);
    // The tags set by hand equal those of the stack.
    for (const { Key, Value } of Properties.Replicas[0].Tags)
      expect(page).toContain(`Key=${Key},Value=${Value}`);
  });
});

interface Widget {
  properties: object;
}

interface Alarm {
  AlarmActions: { Ref: string }[];
  OKActions: { Ref: string }[];
  AlarmDescription: string;
  MetricName: string;
  Metrics?: MathPart[];
  Threshold: number;
  Period: number;
  EvaluationPeriods: number;
}

function isDatabase({ Action }: Statement): boolean {
  return [Action].flat().every((action) => action.startsWith('dynamodb:'));
}

function isStream({ Action }: Statement): boolean {
  return [Action].flat().some((action) => action.startsWith('sqs:') || action === 'dynamodb:GetRecords');
}
