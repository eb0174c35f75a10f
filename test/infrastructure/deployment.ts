/** The rollout of a new version, and the effect of each context value. */
import { describe, expect, test } from '@jest/globals';
import { Match } from 'aws-cdk-lib/assertions';
import { contextValues } from '../../lib/infrastructure/context.ts';
import { decide } from '../iam/decide.ts';
import { tableOf } from '../operations-page.ts';
import { apiFunctions, everything, synthesizeWith } from './synthesized.ts';

const dev = synthesizeWith();
const prod = synthesizeWith({ stage: 'prod', ...everything });

const check = prod.one('Lambda::Function', 'CheckBeforeTraffic');
const [trigger] = Object.values(dev.template.findResources('Custom::Trigger'));
const aliasOf = (name: string, { one } = prod) => one('Lambda::Alias', name);

describe('a deployment', () => {
  test('updates the readers of the list index before its writer, and then starts the renewal', () => {
    const { DependsOn } = aliasOf('IndexTestimonials');
    expect(DependsOn).toEqual(expect.arrayContaining(apiFunctions.map((name) => aliasOf(name).id)));
    expect(trigger?.DependsOn).toContain(aliasOf('IndexTestimonials', dev).id);
  });

  test('rolls out at once, except the functions of the API in prod: ten per cent more every two minutes', () => {
    dev.template.resourceCountIs('AWS::CodeDeploy::DeploymentGroup', 0);
    const gradual = ({ all }: typeof dev) => all('Lambda::Alias').filter((alias) => alias.UpdatePolicy);
    expect(gradual(dev)).toEqual([]);
    expect(gradual(prod).map(({ id }) => id)).toEqual(apiFunctions.map((name) => aliasOf(name).id));
    prod.template.allResourcesProperties('AWS::CodeDeploy::DeploymentGroup', {
      DeploymentConfigName: 'CodeDeployDefault.LambdaLinear10PercentEvery2Minutes',
    });
  });

  test.each(apiFunctions)(
    'of %s in prod is rolled back by the alarms of the API and its own, and when it is stopped',
    (name) => {
      const { id, Properties } = prod.one('CodeDeploy::DeploymentGroup', `Rollout${name}`);
      expect(aliasOf(name).UpdatePolicy).toEqual({
        CodeDeployLambdaAliasUpdate: {
          ApplicationName: { Ref: expect.any(String) },
          DeploymentGroupName: { Ref: id },
          BeforeAllowTrafficHook: { Ref: check.id },
        },
      });
      // The hook plays against the versions of this deployment.
      expect(aliasOf(name).DependsOn).toContain(check.id);
      expect(Properties.AutoRollbackConfiguration).toEqual({
        Enabled: true,
        Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'],
      });
      const alarms = Properties.AlarmConfiguration.Alarms.map(
        ({ Name }: { Name: { Ref: string } }) => Name.Ref,
      );
      expect(alarms).toEqual([
        expect.stringMatching(/^AlarmsApiErrors/),
        expect.stringMatching(/^AlarmsApiOutage/),
        expect.stringMatching(`^Alarms${name}Errors`),
      ]);
      const existing = prod.all('CloudWatch::Alarm').map((alarm) => alarm.id);
      expect(existing).toEqual(expect.arrayContaining(alarms));
    },
  );

  test('keeps all versions of functions except those of a rolled-back deployment, so that it can be repeated', () => {
    // Lambda publishes no version that equals the last one
    // (https://docs.aws.amazon.com/lambda/latest/api/API_PublishVersion.html), and a rollback deletes such
    // versions
    // (https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-attribute-deletionpolicy.html).
    const policies = prod.all('Lambda::Version').map(({ DeletionPolicy }) => DeletionPolicy);
    expect(policies).toEqual(Array(apiFunctions.length + 3).fill('RetainExceptOnCreate'));
  });

  test('retries the renewal, and then sends it to a queue with an alarm', () => {
    const version: string = trigger?.Properties.HandlerArn.Ref;
    // After a change of the function, and without waiting.
    expect(trigger?.Properties).toMatchObject({ InvocationType: 'Event', ExecuteOnHandlerChange: true });
    expect(dev.all('Lambda::EventInvokeConfig')).toHaveLength(1);
    const { id, Properties } = dev.one('Lambda::EventInvokeConfig');
    expect(trigger?.DependsOn).toContain(id);
    expect(Properties.Qualifier).toEqual({ 'Fn::GetAtt': [version, 'Version'] });
    const [queue = ''] = Properties.DestinationConfig.OnFailure.Destination['Fn::GetAtt'];
    expect(dev.one('CloudWatch::Alarm', 'AlarmsDeadLetters').Properties.Dimensions).toEqual([
      { Name: 'QueueName', Value: { 'Fn::GetAtt': [queue, 'QueueName'] } },
    ]);
  });

  test('tags everything that costs, including the replicas of the table', () => {
    const tags = Object.entries(prod.stack.tags.tagValues()).map(([Key, Value]) => ({ Key, Value }));
    expect(tags).toEqual([
      { Key: 'service', Value: 'testimonials' },
      { Key: 'stage', Value: 'prod' },
    ]);
    expect(prod.one('DynamoDB::GlobalTable').Properties.Replicas).toEqual([
      expect.objectContaining({ Tags: tags }),
    ]);
  });

  test('of prod cannot be deleted by mistake', () => {
    expect(prod.stack.terminationProtection).toBe(true);
    expect(dev.stack.terminationProtection).toBe(false);
  });
});

describe('the check before a rollout', () => {
  test('knows the new version and the deployment group of each function of the API', () => {
    const { VERSIONS, GROUPS } = check.Properties.Environment.Variables;
    /** Reads JSON that CloudFormation joins; a reference is the id of its resource. */
    const read = (value: { 'Fn::Join': [string, ({ Ref: string } | string)[]] }) => {
      const parts = value['Fn::Join'][1].map((part) => (typeof part === 'string' ? part : part.Ref));
      return JSON.parse(parts.join(''));
    };
    const versions = apiFunctions.map((name) => [name, expect.stringMatching(`^${name}CurrentVersion`)]);
    expect(read(VERSIONS)).toEqual(Object.fromEntries(versions));
    const groupOf = (name: string) => prod.one('CodeDeploy::DeploymentGroup', `Rollout${name}`).id;
    expect(read(GROUPS)).toEqual(Object.fromEntries(apiFunctions.map((name) => [name, groupOf(name)])));
  });

  test('may invoke all versions of these functions, so that a deployment does not change its policy', () => {
    const invoked = prod
      .policyOf('CheckBeforeTraffic')
      .filter(({ Action }) => [Action].flat().includes('lambda:InvokeFunction'));
    const arns = apiFunctions.map((name) => `arn:${prod.one('Lambda::Function', name).id}:*`);
    expect(invoked.flatMap(({ Resource }) => Resource).toSorted()).toEqual(arns.toSorted());
    // A version's name changes with its code.
    expect(JSON.stringify(prod.policyOf('CheckBeforeTraffic'))).not.toContain('CurrentVersion');
  });

  test('takes one check after the other from a queue, after the hooks of all functions have ended', () => {
    const { id, Properties } = prod.one('SQS::Queue', 'RolloutChecks');
    expect(Properties).toMatchObject({ FifoQueue: true, MessageRetentionPeriod: 3600 });
    expect(Properties.DelaySeconds).toBeGreaterThanOrEqual(30);
    // Lambda gives a message back if the function does not end in time.
    expect(Properties.VisibilityTimeout).toBeGreaterThanOrEqual(check.Properties.Timeout);
    // Even five checks end in the hour that CodeDeploy waits.
    expect(5 * check.Properties.Timeout).toBeLessThan(3600);
    const source = prod.one('Lambda::EventSourceMapping', 'CheckBeforeTraffic').Properties;
    expect(source).toMatchObject({ BatchSize: 1, EventSourceArn: { 'Fn::GetAtt': [id, 'Arn'] } });
    expect(check.Properties.Environment.Variables.QUEUE_URL).toEqual({ Ref: id });
  });

  test.each([
    ['PutItem', 'ORG#check-20261126-093000-0a1b2c-1', true],
    ['PutItem', 'ORG#acme', false],
    ['Query', 'ORG#acme', false],
    ['BatchWriteItem', 'ORG#acme#1#ORDINALS', false],
    ['PutItem', 'TOKEN#1', true],
    ['GetItem', 'TOKEN#1', false],
  ])('may %s %s: %j', (action, partition, isAllowed) => {
    const statements = prod.policyOf('CheckBeforeTraffic');
    expect(decide(statements, prod.requestOf(action, partition)).isAllowed).toBe(isAllowed);
  });

  test('exists only where versions roll out gradually', () => {
    expect(dev.all('Lambda::Function', 'CheckBeforeTraffic')).toEqual([]);
  });
});

describe('a stage', () => {
  test('shares no resource name with the same stage in another region', () => {
    // These are names of an account, all others of a region
    // (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html,
    // https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutDashboard.html).
    const named = {
      'Budgets::Budget': 'BudgetName',
      'CloudWatch::Dashboard': 'DashboardName',
      'IAM::ManagedPolicy': 'ManagedPolicyName',
      'IAM::Role': 'RoleName',
    };
    for (const [type, property] of Object.entries(named)) {
      const resources = prod.all(type);
      expect(resources).not.toEqual([]);
      for (const { Properties } of resources) {
        const name = JSON.stringify(
          { ...Properties, ...Properties.Budget }[property] ?? { Ref: 'AWS::Region' },
        );
        expect(name).toContain(JSON.stringify({ Ref: 'AWS::Region' }));
      }
    }
  });
});

test('a first deployment of prod that fails leaves nothing of its own but the protected table', () => {
  // https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-attribute-deletionpolicy.html
  const policies = Object.values(prod.json.Resources).map((resource) => Object(resource).DeletionPolicy);
  expect(new Set(policies)).toEqual(new Set([undefined, 'Delete', 'RetainExceptOnCreate']));
});

describe('a context value', () => {
  const { domainName, certificateArn } = everything;
  const withDomain = synthesizeWith({ stage: 'prod', desk: true, pages: true, domainName, certificateArn });

  test('is described in docs/operations.md', () => {
    const described = Object.keys(contextValues).map((name) => [
      `\`${name}\``,
      expect.stringMatching(/.{15}/),
    ]);
    expect(tableOf('Context values')).toEqual(described);
  });

  test('adds a domain to the API, and an output with its target', () => {
    const { id, Properties } = prod.one('ApiGatewayV2::DomainName');
    expect(Properties).toMatchObject({
      DomainName: 'api.example.com',
      DomainNameConfigurations: [
        {
          CertificateArn: certificateArn,
          EndpointType: 'REGIONAL',
          SecurityPolicy: 'TLS_1_2',
        },
      ],
    });
    const mapping = prod.one('ApiGatewayV2::ApiMapping').Properties;
    expect(mapping).toMatchObject({ DomainName: { Ref: id }, Stage: '$default' });
    prod.template.hasOutput('DomainTarget', { Value: { 'Fn::GetAtt': [id, 'RegionalDomainName'] } });
    dev.template.resourceCountIs('AWS::ApiGatewayV2::DomainName', 0);
  });

  test('names the domain in the outputs with URLs, in place of the URL that AWS assigned', () => {
    const valuesOf = ({ template }: typeof dev) => {
      const outputs = ['ApiUrl', 'DeskUrl', 'FormLinks', 'WallLinks', 'NextStep'];
      return outputs.map((name) => JSON.stringify(template.findOutputs(name)[name]?.Value));
    };
    const [api, desk, forms, walls, next] = valuesOf(withDomain);
    const url = 'https://api.example.com';
    const paths = ['', '/desk', '/f/{id}', '/w/{id}'];
    expect([api, desk, forms, walls]).toEqual(paths.map((path) => `"${url}${path}"`));
    expect(next).toContain(`npm run check -- --url ${url} --table `);
    const withPages = synthesizeWith({ stage: 'prod', desk: true, pages: true });
    for (const value of valuesOf(withPages)) expect(value).toContain('ApiEndpoint');
  });

  test('closes the URL that AWS assigned, and lets only clients with a certificate use the domain', () => {
    expect(prod.one('ApiGatewayV2::Api').Properties.DisableExecuteApiEndpoint).toBe(true);
    expect(prod.one('ApiGatewayV2::DomainName').Properties.MutualTlsAuthentication).toEqual({
      TruststoreUri: 's3://a-bucket/truststore.pem',
      TruststoreVersion: everything.truststoreVersion,
    });
    const { one } = withDomain;
    expect(one('ApiGatewayV2::Api').Properties).not.toHaveProperty('DisableExecuteApiEndpoint');
    expect(one('ApiGatewayV2::DomainName').Properties).not.toHaveProperty('MutualTlsAuthentication');
  });

  test('sets the throughput of the table and of each index', () => {
    const warm = { ReadUnitsPerSecond: 30_000, WriteUnitsPerSecond: 8000 };
    const writes = { WriteOnDemandThroughputSettings: { MaxWriteRequestUnits: 10_000 } };
    const reads = { ReadOnDemandThroughputSettings: { MaxReadRequestUnits: 40_000 } };
    const { Properties: table } = prod.one('DynamoDB::GlobalTable');
    expect(table).toMatchObject({ WarmThroughput: warm, ...writes, Replicas: [reads] });
    const secondary = table.GlobalSecondaryIndexes;
    expect(secondary).toEqual(Array(6).fill(expect.objectContaining({ WarmThroughput: warm, ...writes })));
    const [{ GlobalSecondaryIndexes: replica }] = table.Replicas;
    expect(replica).toEqual(Array(6).fill(expect.objectContaining(reads)));
    expect(JSON.stringify(dev.one('DynamoDB::GlobalTable'))).not.toMatch(
      /WarmThroughput|OnDemandThroughputSettings/,
    );
  });

  test('reserves concurrency for the functions of the API', () => {
    const reserved = ({ all }: typeof dev) =>
      all('Lambda::Function').filter(({ Properties }) => Properties.ReservedConcurrentExecutions === 50);
    expect(reserved(prod).map(({ id }) => id)).toEqual(
      apiFunctions.map((name) => prod.one('Lambda::Function', name).id),
    );
    expect(JSON.stringify(dev.json)).not.toContain('ReservedConcurrentExecutions');
  });

  test('can change the recipient, because neither the subscription nor the budget has a fixed name', () => {
    const { Resources: before } = prod.template.toJSON();
    const others = synthesizeWith({ stage: 'prod', ...everything, alarmEmail: 'others@example.com' });
    const { Resources: after } = others.template.toJSON();
    const changed = Object.keys(after).filter(
      (id) => JSON.stringify(after[id]) !== JSON.stringify(before[id]),
    );
    const types = changed.map((id) => after[id].Type);
    expect(types.toSorted()).toEqual(['AWS::Budgets::Budget', ...Array(2).fill('AWS::SNS::Subscription')]);
    const [budget = ''] = changed.filter((id) => after[id].Type === 'AWS::Budgets::Budget');
    expect(Object.keys(after[budget].Properties.Budget)).not.toContain('BudgetName');
  });

  test('warns at 80 and 100 per cent of a monthly budget', () => {
    prod.template.hasResourceProperties('AWS::Budgets::Budget', {
      Budget: { BudgetLimit: { Amount: 20, Unit: 'USD' }, BudgetType: 'COST', TimeUnit: 'MONTHLY' },
      NotificationsWithSubscribers: [80, 100].map((Threshold) => ({
        Notification: Match.objectLike({ Threshold, NotificationType: 'ACTUAL' }),
        Subscribers: [{ SubscriptionType: 'EMAIL', Address: 'ops@example.com' }],
      })),
    });
    dev.template.resourceCountIs('AWS::Budgets::Budget', 0);
  });
});
