/** The stack of a stage, and the stacks that it needs in other regions. */
import { Annotations, App, type AppProps, Stage as Assembly, CfnOutput, Stack } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { Construct } from 'constructs';
import { createTestimonialContract } from '../../functions/create-testimonial/contract.ts';
import { pageRoutes } from '../../functions/domain/page.ts';
import type { ApiEnvironment, DeskEnvironment } from '../../functions/environment.ts';
import { listTestimonialsContract } from '../../functions/list-testimonials/contract.ts';
import { deskPath } from '../../functions/serve-desk/parts/paths.ts';
import { BackupCopy, Backups } from './backups.ts';
import { type DeploymentContext, readContext, type Stage, stageOf } from './context.ts';
import { Events } from './events.ts';
import { FrontDoor } from './front-door.ts';
import { IndexFunction } from './index-function.ts';
import { measuresOf, type Watched } from './measures.ts';
import { MediaBucket } from './media-bucket.ts';
import { addAlarms, addDashboard } from './monitoring.ts';
import { addOperatorPolicies } from './operator-policies.ts';
import { Rollout } from './rollout.ts';
import { type Assets, ServiceFunction } from './service-function.ts';
import { type TableRights, tableRights } from './table-rights.ts';
import { type ApiFunctions, TestimonialsApi } from './testimonials-api.ts';
import { TestimonialsTable } from './testimonials-table.ts';
import { warningsOf } from './warnings.ts';

class TestimonialsStack extends Stack {
  constructor(scope: Construct, context: DeploymentContext) {
    const stage = stageOf(context);
    super(scope, `testimonials-${stage.name}`, {
      description: 'Testimonials API',
      tags: stage.tags,
      terminationProtection: stage.isProtected,
    });
    const table = new TestimonialsTable(this, 'Testimonials', stage, context);
    const media = context.media ? new MediaBucket(this, 'Media', stage) : undefined;
    const apiFunctions = this.#apiFunctions(stage, table, context, media);
    const functions = Object.values(apiFunctions).filter((fn) => fn !== undefined);
    const listIndex = new IndexFunction(this, 'ListIndex', stage, table);
    media?.allow(listIndex.function, tableRights.index);
    // The functions that read the index roll out before the function that writes it, so that the previous
    // version never reads an index of the new one, and a rollback leaves the index unchanged. The index
    // function switches at once, because two versions must not alternate.
    listIndex.function.live.node.addDependency(...functions.map(({ live }) => live));

    const api = new TestimonialsApi(this, 'Api', stage, apiFunctions, context);
    const deskUrl = context.desk ? `${api.url}${deskPath}` : undefined;
    const events = context.events
      ? new Events(this, 'Events', stage, table, { ...context, deskUrl })
      : undefined;
    const { backupRegion: copyRegion, leastRequestsAnHour, truststoreExpires } = context;
    const backups =
      copyRegion && events
        ? new Backups(this, 'Backups', { stage, tableArn: table.arns.table, events, copyRegion })
        : undefined;
    const { metricsNamespace } = stage;
    const watched = {
      ...apiFunctions,
      api,
      listIndex,
      events,
      hasMedia: context.media,
      backups,
      table: table.table,
      leastRequestsAnHour,
      truststoreExpires,
      metricsNamespace,
    };
    const measures = measuresOf(watched);
    const alarms = addAlarms(this, { stage, measures, email: context.alarmEmail });
    if (stage.isProtected) addDashboard(this, stage, measures, alarms);
    if (stage.isGradual) new Rollout(this, 'Rollout', { stage, functions, table, alarms });
    this.#addBudget(context);
    addOperatorPolicies(this, {
      table,
      hasDesk: context.desk,
      bus: events?.bus,
      readers: [listIndex.function, ...(events ? [events.function] : [])],
    });
    this.#addOutputs(context, { ...watched, deskUrl }, media);
  }

  #apiFunctions(
    stage: Stage,
    table: TestimonialsTable,
    context: DeploymentContext,
    media: MediaBucket | undefined,
  ): ApiFunctions {
    const { reservedConcurrency, stageRate, organizationRate = stageRate / 4 } = context;
    const limits: Omit<{ [Variable in keyof ApiEnvironment]: string }, 'TABLE_NAME'> = {
      ORGANIZATION_BUDGET: String(context.organizationBudget),
      ORGANIZATION_DAILY_BUDGET: String(context.organizationDailyBudget),
      ORGANIZATION_RATE: String(organizationRate),
    };
    const ofDesk: { [Variable in keyof DeskEnvironment]: string } = {
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
    media?.allow(create, tableRights.create);
    if (desk) media?.allow(desk, tableRights.desk);
    if (pages) media?.allow(pages, tableRights.pages);
    const { moderation, media: hasMedia } = context;
    const document: Assets = [
      'document',
      ...(moderation ? (['moderation'] as const) : []),
      ...(hasMedia ? (['media'] as const) : []),
    ];
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

  /** Adds a budget that warns about the costs of the account by e-mail. */
  #addBudget({ monthlyBudget: amount = 0, alarmEmail: address }: DeploymentContext): void {
    if (amount === 0 || address === undefined) return;
    // Without a fixed name, because another subscriber replaces the budget, and CloudFormation creates the
    // new one first (https://github.com/aws-cloudformation/cloudformation-coverage-roadmap/issues/365).
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

  #addOutputs(
    { corsOrigins: [origin = '*'], moderation, desk, pages, media: hasMedia }: DeploymentContext,
    { api, listIndex, events, table: { tableName }, deskUrl }: Watched & { deskUrl: string | undefined },
    media: MediaBucket | undefined,
  ): void {
    const withOrigin = origin === '*' ? '' : ` --origin ${origin}`;
    const optional = { moderation, pages, media: hasMedia, desk };
    const options = Object.entries(optional).map(([name, isDeployed]) => (isDeployed ? ` --${name}` : ''));
    const outputs: Record<string, [value: string | undefined, description: string]> = {
      ApiUrl: [api.url, 'Base URL of the API'],
      DeskUrl: [deskUrl, 'URL of the desk; moderators need an invitation: npm run admin -- desk invite'],
      MediaBucket: [media?.bucket.bucketName, 'Bucket with photos and recordings'],
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

/**
 * Adds the stacks in other regions. They are in a separate stage of the CDK, so that `cdk deploy` without
 * names deploys only the service.
 */
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
  // A firewall can protect CloudFront only from there
  // (https://docs.aws.amazon.com/waf/latest/developerguide/how-aws-waf-works-resources.html).
  if (frontDoorOrigin === undefined) return;
  const stack = stackIn('us-east-1', 'front-door');
  const { measures } = new FrontDoor(stack, 'FrontDoor', stage, context);
  if (stage.isProtected) addAlarms(stack, { stage, measures, email: context.alarmEmail });
}

/**
 * Creates the app with the stack `testimonials-<stage>`, and the stacks that the stage needs in other
 * regions.
 * @param declarationOf returns the values that a stage declares; by default it reads `stages/<stage>.json`
 */
export function testimonialsApp(props: AppProps = {}, declarationOf?: Parameters<typeof readContext>[1]) {
  const app = new App({
    analyticsReporting: false,
    ...props,
    // SAM and the local runner find the functions and their code in this metadata.
    postCliContext: {
      'aws:cdk:enable-asset-metadata': true,
      'aws:cdk:enable-path-metadata': true,
      ...props.postCliContext,
    },
  });
  const { context, overrides } = readContext(app.node, declarationOf);
  const stack = new TestimonialsStack(app, context);
  const message = `From -c, not from stages/${context.stage}.json: ${overrides.join(', ')}. The next deployment without -c restores what the file declares.`;
  if (overrides.length > 0) Annotations.of(stack).addWarningV2('testimonials:overrides', message);
  const stage = stageOf(context);
  for (const [part, warning] of Object.entries(warningsOf(context, stage)))
    Annotations.of(stack).addWarningV2(`testimonials:${part}`, warning);
  addOtherRegions(app, stage, context);
  return { app, stack };
}
