/** The service: a table, a function for each operation, the API in front of them, the index behind, and alarms. */
import { fileURLToPath } from 'node:url';
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { createTestimonialContract } from '../../functions/create-testimonial/contract.ts';
import type { ApiEnvironment } from '../../functions/environment.ts';
import { listTestimonialsContract } from '../../functions/list-testimonials/contract.ts';
import { Alarms } from './alarms.ts';
import type { DeploymentContext } from './context.ts';
import { Events } from './events.ts';
import { GradualShift } from './gradual-shift.ts';
import { IndexFunction } from './index-function.ts';
import { MonthlyBudget } from './monthly-budget.ts';
import { OperatorPolicies } from './operator-policies.ts';
import { ServiceDashboard } from './service-dashboard.ts';
import { ServiceFunction } from './service-function.ts';
import { type Stage, stageOf } from './stage.ts';
import { tableRights } from './table-rights.ts';
import { TestimonialsApi } from './testimonials-api.ts';
import { TestimonialsTable } from './testimonials-table.ts';

const entry = (operation: string) =>
  fileURLToPath(new URL(`../../functions/${operation}/lambda.ts`, import.meta.url));

export interface TestimonialsStackProps extends StackProps {
  context: DeploymentContext;
}

export class TestimonialsStack extends Stack {
  constructor(scope: Construct, id: string, { context, ...props }: TestimonialsStackProps) {
    super(scope, id, props);
    const stage = stageOf(context);
    const table = new TestimonialsTable(this, 'Testimonials', { stage, throughput: context });
    const { create, list } = this.#apiFunctions(stage, table, context);
    const index = new IndexFunction(this, 'ListIndex', { stage, table });
    // Readers before the writer: no list of the version before meets an index that a new version keeps, and a shift that is
    // taken back leaves the index as it was. At once, since two versions must not take turns at it.
    index.function.live.node.addDependency(create.live, list.live);

    const api = new TestimonialsApi(this, 'Api', {
      stage,
      operations: [
        { contract: createTestimonialContract, function: create.live },
        { contract: listTestimonialsContract, function: list.live },
      ],
      notFound: list.live,
      rate: context.stageRate,
      corsOrigins: context.corsOrigins,
      domain: domainOf(context),
    });

    const events = context.events ? new Events(this, 'Events', { ...context, stage, table }) : undefined;
    const watched = { stage, api, create, list, index: index.function, events, table: table.table };
    const { deadLetters } = index;
    const alarms = new Alarms(this, 'Alarms', { ...watched, deadLetters, email: context.alarmEmail });
    new ServiceDashboard(this, 'Dashboard', { ...watched, alarms });
    if (stage.isShifted) new GradualShift(this, 'Shift', { functions: [create, list], alarms });
    this.#addBudget(context);

    new OperatorPolicies(this, 'Operator', table);
    this.#addOutputs(context, { api, index, events, table });
  }

  #apiFunctions(stage: Stage, table: TestimonialsTable, context: DeploymentContext) {
    const { reservedConcurrency, organizationBudget, stageRate, organizationRate = stageRate / 4 } = context;
    const create = new ServiceFunction(this, 'CreateTestimonial', {
      stage,
      description: createTestimonialContract.summary,
      entry: entry('create-testimonial'),
      reservedConcurrency,
    });
    table.allow(create, tableRights.create);
    const list = new ServiceFunction(this, 'ListTestimonials', {
      stage,
      description: listTestimonialsContract.summary,
      entry: entry('list-testimonials'),
      reservedConcurrency,
    });
    table.allow(list, tableRights.list);
    const limits: Omit<{ [Variable in keyof ApiEnvironment]: string }, 'TABLE_NAME'> = {
      ORGANIZATION_BUDGET: String(organizationBudget),
      ORGANIZATION_RATE: String(organizationRate),
    };
    for (const fn of [create, list]) {
      for (const [name, value] of Object.entries(limits)) fn.addEnvironment(name, value);
    }
    return { create, list };
  }

  #addBudget({ stage, monthlyBudget: amount = 0, alarmEmail: email }: DeploymentContext): void {
    if (amount === 0 || email === undefined) return;
    new MonthlyBudget(this, 'MonthlyBudget', { budgetName: `testimonials-${stage}`, amount, email });
  }

  #addOutputs(
    { corsOrigins }: DeploymentContext,
    {
      api,
      index,
      events,
      table,
    }: {
      api: TestimonialsApi;
      index: IndexFunction;
      events: Events | undefined;
      table: TestimonialsTable;
    },
  ): void {
    new CfnOutput(this, 'ApiUrl', { value: api.url, description: 'Base address of the API' });
    if (api.domainTarget !== undefined) {
      new CfnOutput(this, 'DomainTarget', {
        value: api.domainTarget,
        description: 'Where a CNAME or alias record of the API’s own domain has to point',
      });
    }
    new CfnOutput(this, 'ErasureLog', {
      value: index.function.logGroup.logGroupName,
      description: 'The log group that names what was erased, for a restore from a backup',
    });
    if (events) {
      new CfnOutput(this, 'EventBusName', {
        value: events.bus.eventBusName,
        description: 'The event bus that is told what happens to testimonials',
      });
    }
    new CfnOutput(this, 'TableName', {
      value: table.table.tableName,
      description: 'The table, for the operator’s command line: --table',
    });
    const [origin = '*'] = corsOrigins;
    const withOrigin = origin === '*' ? '' : ` --origin ${origin}`;
    new CfnOutput(this, 'NextStep', {
      value: `npm run check -- --url ${api.url} --table ${table.table.tableName}${withOrigin}`,
      description: 'Checks from the outside whether the deployment does what the contract says',
    });
  }
}

function domainOf({ domainName: name, certificateArn }: DeploymentContext) {
  return name === undefined || certificateArn === undefined ? undefined : { name, certificateArn };
}
