/** The stack: a table, the functions of the API, the index function, and alarms. */
import { fileURLToPath } from 'node:url';
import {
  Annotations,
  App,
  type AppProps,
  ArnFormat,
  Stage as Assembly,
  type CfnElement,
  CfnOutput,
  Stack,
  Validations,
} from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { createTestimonialContract } from '../../functions/create-testimonial/contract.ts';
import { pageRoutes } from '../../functions/domain/page.ts';
import type { ApiEnvironment, DeskEnvironment } from '../../functions/environment.ts';
import { listTestimonialsContract } from '../../functions/list-testimonials/contract.ts';
import { deskPath } from '../../functions/serve-desk/parts/assets.ts';
import { checkTimeoutMs } from '../../functions/timing.ts';
import { BackupCopy, Backups } from './backups.ts';
import { type DeploymentContext, readContext, type Stage, stageOf } from './context.ts';
import { Events } from './events.ts';
import { FrontDoor } from './front-door.ts';
import { IndexFunction } from './index-function.ts';
import { measuresOf, type Watched } from './measures.ts';
import { addAlarms, addDashboard } from './monitoring.ts';
import { type Assets, ServiceFunction } from './service-function.ts';
import { checkStatements, statementsOf, type TableRights, tableRights } from './table-rights.ts';
import { type ApiFunctions, TestimonialsApi } from './testimonials-api.ts';
import { TestimonialsTable } from './testimonials-table.ts';

const check = fileURLToPath(new URL('../../test/check/lambda.ts', import.meta.url));

class TestimonialsStack extends Stack {
  constructor(scope: Construct, context: DeploymentContext) {
    const stage = stageOf(context);
    super(scope, `testimonials-${stage.name}`, {
      description: 'Testimonials API',
      tags: stage.tags,
      terminationProtection: stage.isProtected,
    });
    const table = new TestimonialsTable(this, 'Testimonials', stage, context);
    const apiFunctions = this.#apiFunctions(stage, table, context);
    const functions = Object.values(apiFunctions).filter((fn) => fn !== undefined);
    const listIndex = new IndexFunction(this, 'ListIndex', stage, table);
    // The functions that read the index roll out before the function that writes it. So the previous version never reads an index
    // of the new one, and a rollback leaves the index unchanged. The index function switches at once, because two versions must
    // not alternate.
    listIndex.function.live.node.addDependency(...functions.map(({ live }) => live));

    const api = new TestimonialsApi(this, 'Api', stage, apiFunctions, context);
    const events = context.events ? new Events(this, 'Events', stage, table, context) : undefined;
    const { backupRegion: copyRegion, leastRequestsAnHour } = context;
    if (copyRegion && events)
      new Backups(this, 'Backups', { stage, tableArn: table.arns.table, events, copyRegion });
    const watched = { ...apiFunctions, api, listIndex, events, table: table.table, leastRequestsAnHour };
    const measures = measuresOf(watched);
    const alarms = addAlarms(this, { stage, measures, email: context.alarmEmail });
    if (stage.isProtected) addDashboard(this, stage, measures, alarms);
    if (stage.isGradual) {
      const check = this.#checkBeforeTraffic(stage, functions, table);
      this.#rollOutGradually(functions, alarms, check);
    }
    this.#addBudget(context);
    this.#addOperatorPolicies(table, context);
    this.#addOutputs(context, watched);
  }

  #apiFunctions(stage: Stage, table: TestimonialsTable, context: DeploymentContext): ApiFunctions {
    const { reservedConcurrency, stageRate, organizationRate = stageRate / 4 } = context;
    const limits: Omit<{ [Variable in keyof ApiEnvironment]: string }, 'TABLE_NAME'> = {
      ORGANIZATION_BUDGET: String(context.organizationBudget),
      ORGANIZATION_DAILY_BUDGET: String(context.organizationDailyBudget),
      ORGANIZATION_RATE: String(organizationRate),
    };
    const ofDesk: { [Variable in keyof DeskEnvironment]: string } = {
      CORS_ORIGINS: context.corsOrigins.join(','),
      HAS_PAGES: String(context.pages),
    };
    const apiFunction = (id: string, rights: TableRights, description: string, assets?: Assets) => {
      const environment = { ...limits, ...(assets?.[0] === 'desk' && ofDesk) };
      const props = { stage, description, reservedConcurrency, assets, environment };
      const fn = new ServiceFunction(this, id, props);
      table.allow(fn, rights);
      return fn;
    };
    const deskRights = { ...tableRights.desk, ...(context.pages && tableRights.ownPages) };
    const desk = context.desk
      ? apiFunction('ServeDesk', deskRights, 'The desk: pages for invited moderators', ['desk'])
      : undefined;
    const pages = context.pages
      ? apiFunction('ServePages', tableRights.pages, 'Forms and walls for visitors', ['pages'])
      : undefined;
    const create = apiFunction('CreateTestimonial', tableRights.create, createTestimonialContract.summary);
    const document: Assets = context.moderation ? ['document', 'moderation'] : ['document'];
    const list = apiFunction(
      'ListTestimonials',
      tableRights.list,
      listTestimonialsContract.summary,
      document,
    );
    const moderate = context.moderation
      ? apiFunction('ModerateTestimonials', tableRights.moderate, 'Read, change or erase one testimonial')
      : undefined;
    return { create, list, moderate, desk, pages };
  }

  /**
   * Rolls out new versions of the API's functions in twenty minutes: every two minutes they get ten per cent more of the requests. An
   * alarm takes ten minutes, and with little traffic it is raised only once most requests reach the new version. CodeDeploy then rolls
   * back (https://docs.aws.amazon.com/codedeploy/latest/userguide/deployment-groups-configure-advanced-options.html).
   * @param check runs before a new version gets requests, and stops its deployment
   */
  #rollOutGradually(
    functions: readonly ServiceFunction[],
    alarms: ReadonlyMap<string, Alarm>,
    check: ServiceFunction,
  ): void {
    const scope = new Construct(this, 'Rollout');
    const application = new LambdaApplication(scope, 'Application');
    for (const fn of functions) {
      fn.live.node.addDependency(check);
      const group = new LambdaDeploymentGroup(scope, fn.node.id, {
        application,
        preHook: check,
        alias: fn.live,
        deploymentConfig: LambdaDeploymentConfig.LINEAR_10PERCENT_EVERY_2MINUTES,
        // Otherwise both versions would go on responding.
        autoRollback: { stoppedDeployment: true },
        alarms: ['ApiErrors', 'ApiOutage', `${fn.node.id}Errors`].flatMap((name) => alarms.get(name) ?? []),
      });
      Validations.of(group.role).acknowledge({
        id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]',
        reason: 'The policy that AWS maintains for CodeDeploy: it only moves aliases and reads alarms.',
      });
      Validations.of(group.role).acknowledge({
        id: `AwsSolutions-IAM5[Resource::<${this.getLogicalId(check.node.defaultChild as CfnElement)}.Arn>:*]`,
        reason: 'The CDK allows any version of the check.',
      });
    }
  }

  /** Adds the function that plays a short contract against new versions. */
  #checkBeforeTraffic(
    stage: Stage,
    functions: readonly ServiceFunction[],
    table: TestimonialsTable,
  ): ServiceFunction {
    const arns = Object.fromEntries(
      functions.map(({ node, currentVersion }) => [node.id, currentVersion.functionArn]),
    );
    const fn = new ServiceFunction(this, 'CheckBeforeTraffic', {
      ...{ stage, description: 'Check new versions before they get requests', entry: check },
      ...{ timeoutMs: checkTimeoutMs, assets: ['pages'] },
      environment: { TABLE_NAME: table.table.tableName, VERSIONS: this.toJsonString(arns) },
    });
    const groups = { service: 'codedeploy', resource: 'deploymentgroup', resourceName: '*' };
    const anyGroup = this.formatArn({ ...groups, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
    const invocation = { Action: 'lambda:InvokeFunction', Resource: Object.values(arns) };
    const status = { Action: 'codedeploy:PutLifecycleEventHookExecutionStatus', Resource: anyGroup };
    for (const each of [...checkStatements(table.arns), invocation, status]) {
      fn.addToRolePolicy(PolicyStatement.fromJson({ Effect: 'Allow', ...each }));
    }
    Validations.of(fn.role ?? fn).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:codedeploy:<AWS::Region>:<AWS::AccountId>:deploymentgroup:*]',
      reason: 'The deployment groups depend on this function. It only knows the deployments that call it.',
    });
    return fn;
  }

  /** Adds a budget that warns by e-mail about the costs of the account. */
  #addBudget({ monthlyBudget: amount = 0, alarmEmail: address }: DeploymentContext): void {
    if (amount === 0 || address === undefined) return;
    // Without a fixed name, because another subscriber replaces the budget and CloudFormation creates the new one first
    // (https://github.com/aws-cloudformation/cloudformation-coverage-roadmap/issues/365).
    new CfnBudget(new Construct(this, 'MonthlyBudget'), 'Budget', {
      budget: {
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount, unit: 'USD' },
      },
      notificationsWithSubscribers: [80, 100].map((threshold) => ({
        notification: {
          notificationType: 'ACTUAL',
          comparisonOperator: 'GREATER_THAN',
          threshold,
          thresholdType: 'PERCENTAGE',
        },
        subscribers: [{ subscriptionType: 'EMAIL', address }],
      })),
    });
  }

  /** Adds the managed policies of operators: one for the commands that only read, one for all. */
  #addOperatorPolicies(table: TestimonialsTable, { desk }: DeploymentContext): void {
    const scope = new Construct(this, 'Operator');
    const policy = (name: string, rights: TableRights, description: string) => {
      const statements = statementsOf(rights, table.arns).map(PolicyStatement.fromJson);
      const { managedPolicyArn } = new ManagedPolicy(scope, name, { description, statements });
      new CfnOutput(this, `Operator${name}Policy`, { value: managedPolicyArn, description });
    };
    policy('Read', tableRights.operatorRead, 'Testimonials: the commands of npm run admin that only read');
    const all = { ...tableRights.operatorWrite, ...(desk && tableRights.invite) };
    policy('Write', all, 'Testimonials: all commands of npm run admin, and npm run check');
  }

  #addOutputs(
    { corsOrigins: [origin = '*'], moderation, desk, pages }: DeploymentContext,
    { api, listIndex, events, table: { tableName } }: Watched,
  ): void {
    const withOrigin = origin === '*' ? '' : ` --origin ${origin}`;
    const optional = { moderation, pages, desk };
    const options = Object.entries(optional).map(([name, isDeployed]) => (isDeployed ? ` --${name}` : ''));
    const outputs: Record<string, [value: string | undefined, description: string]> = {
      ApiUrl: [api.url, 'Base URL of the API'],
      DeskUrl: [
        desk ? `${api.url}${deskPath}` : undefined,
        'URL of the desk; moderators need an invitation: npm run admin -- desk invite',
      ],
      FormLinks: [pages ? api.url + pageRoutes.form : undefined, 'Links of forms'],
      WallLinks: [pages ? api.url + pageRoutes.wall : undefined, 'Links of walls'],
      DomainTarget: [api.domainTarget, 'Target of the CNAME or alias record of the API’s domain'],
      ErasureLog: [
        listIndex.function.logGroup.logGroupName,
        'Log group that lists the erasures, for a restore from a backup',
      ],
      EventBusName: [events?.bus.eventBusName, 'Event bus that receives the events about testimonials'],
      TableName: [tableName, 'Table name for npm run admin: --table'],
      NextStep: [
        `npm run check -- --url ${api.url} --table ${tableName}${withOrigin}${options.join('')}`,
        'Checks the deployment against the contract, over HTTP',
      ],
    };
    for (const [name, [value, description]] of Object.entries(outputs)) {
      if (value !== undefined) new CfnOutput(this, name, { value, description });
    }
  }
}

/** Adds the stacks in other regions. They are in a stage of the CDK, so that `cdk deploy` without names deploys the service alone. */
function addOtherRegions(app: App, stage: Stage, context: DeploymentContext): void {
  const { frontDoorOrigin, backupRegion } = context;
  if (frontDoorOrigin === undefined && backupRegion === undefined) return;
  const assembly = new Assembly(app, 'OtherRegions');
  const stackIn = (region: string, id: string) =>
    new Stack(assembly, id, {
      stackName: `testimonials-${stage.name}-${id}`,
      env: { region },
      tags: stage.tags,
      terminationProtection: stage.isProtected,
    });
  if (backupRegion !== undefined) new BackupCopy(stackIn(backupRegion, 'backup-copy'), 'Copy', stage);
  // Only there can a firewall protect CloudFront
  // (https://docs.aws.amazon.com/waf/latest/developerguide/how-aws-waf-works-resources.html).
  if (frontDoorOrigin !== undefined)
    new FrontDoor(stackIn('us-east-1', 'front-door'), 'FrontDoor', stage, context);
}

/**
 * The app has the stack `testimonials-<stage>`, and those that the stage needs in other regions.
 * @param declarationOf returns the values that a stage declares; by default it reads `stages/<stage>.json`
 */
export function testimonialsApp(props: AppProps = {}, declarationOf?: Parameters<typeof readContext>[1]) {
  const app = new App({
    analyticsReporting: false,
    ...props,
    // SAM and the local runner find the functions and their code by this metadata.
    postCliContext: {
      'aws:cdk:enable-asset-metadata': true,
      'aws:cdk:enable-path-metadata': true,
      ...props.postCliContext,
    },
  });
  const { context, overrides } = readContext(app.node, declarationOf);
  const stack = new TestimonialsStack(app, context);
  const message = `${overrides.join(', ')}: not as stages/${context.stage}.json has it, until the next deployment without -c`;
  if (overrides.length > 0) Annotations.of(stack).addWarningV2('testimonials:overrides', message);
  addOtherRegions(app, stageOf(context), context);
  return { app, stack };
}
