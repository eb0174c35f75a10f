/** The service: a table, a function for each operation, the API in front of them, the index behind, and alarms. */
import { fileURLToPath } from 'node:url';
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { createTestimonialContract } from '../../functions/create-testimonial/contract.ts';
import type { ApiEnvironment } from '../../functions/environment.ts';
import type { OperationContract } from '../../functions/http/contract.ts';
import { listTestimonialsContract } from '../../functions/list-testimonials/contract.ts';
import { Alarms } from './alarms.ts';
import type { DeploymentContext } from './context.ts';
import { GradualShift } from './gradual-shift.ts';
import { IndexFunction } from './index-function.ts';
import { MonthlyBudget } from './monthly-budget.ts';
import { OperatorPolicies } from './operator-policies.ts';
import { ServiceFunction } from './service-function.ts';
import { stageOf } from './stage.ts';
import { tableRights } from './table-rights.ts';
import { TestimonialsApi } from './testimonials-api.ts';
import { TestimonialsTable } from './testimonials-table.ts';

const budgetVariable: keyof ApiEnvironment = 'ORGANIZATION_BUDGET';

export interface TestimonialsStackProps extends StackProps {
  context: DeploymentContext;
}

export class TestimonialsStack extends Stack {
  constructor(scope: Construct, id: string, { context, ...props }: TestimonialsStackProps) {
    super(scope, id, props);
    const stage = stageOf(context);
    const table = new TestimonialsTable(this, 'Testimonials', { stage, throughput: context });
    const create = this.#operation(
      'CreateTestimonial',
      'create-testimonial',
      createTestimonialContract,
      context,
    );
    table.allow(create, tableRights.create);
    const list = this.#operation('ListTestimonials', 'list-testimonials', listTestimonialsContract, context);
    table.allow(list, tableRights.list);

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
      corsOrigins: context.corsOrigins,
      domain: domainOf(context),
    });

    const alarms = new Alarms(this, 'Alarms', {
      stage,
      api,
      create,
      list,
      index: index.function,
      table: table.table,
      deadLetters: index.deadLetters,
      email: context.alarmEmail,
    });
    if (stage.isShifted) new GradualShift(this, 'Shift', { functions: [create, list], alarms });
    this.#addBudget(context);

    new OperatorPolicies(this, 'Operator', table);

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
    new CfnOutput(this, 'TableName', {
      value: table.table.tableName,
      description: 'The table, for the operator’s command line: --table',
    });
    const [origin = '*'] = context.corsOrigins;
    const withOrigin = origin === '*' ? '' : ` --origin ${origin}`;
    new CfnOutput(this, 'NextStep', {
      value: `npm run check -- --url ${api.url} --table ${table.table.tableName}${withOrigin}`,
      description: 'Checks from the outside whether the deployment does what the contract says',
    });
  }

  /** The function of an operation, which knows what an organization's requests may cost. */
  #operation(id: string, folder: string, { summary }: OperationContract, context: DeploymentContext) {
    const { organizationBudget, reservedConcurrency } = context;
    const operation = new ServiceFunction(this, id, {
      stage: stageOf(context),
      description: summary,
      entry: fileURLToPath(new URL(`../../functions/${folder}/lambda.ts`, import.meta.url)),
      reservedConcurrency,
    });
    operation.addEnvironment(budgetVariable, String(organizationBudget));
    return operation;
  }

  #addBudget({ stage, monthlyBudget: amount = 0, alarmEmail: email }: DeploymentContext): void {
    if (amount === 0 || email === undefined) return;
    new MonthlyBudget(this, 'MonthlyBudget', { budgetName: `testimonials-${stage}`, amount, email });
  }
}

function domainOf({ domainName: name, certificateArn }: DeploymentContext) {
  return name === undefined || certificateArn === undefined ? undefined : { name, certificateArn };
}
