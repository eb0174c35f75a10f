/** The service: a table, a function for each operation, the API in front of them, the index behind, and alarms. */
import { fileURLToPath } from 'node:url';
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { createTestimonialContract } from '../../functions/create-testimonial/contract.ts';
import { listTestimonialsContract } from '../../functions/list-testimonials/contract.ts';
import { Alarms } from './alarms.ts';
import type { DeploymentContext } from './context.ts';
import { IndexFunction } from './index-function.ts';
import { ServiceFunction } from './service-function.ts';
import { stageOf } from './stage.ts';
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
    const table = new TestimonialsTable(this, 'Testimonials', stage);

    const create = new ServiceFunction(this, 'CreateTestimonial', {
      stage,
      description: createTestimonialContract.summary,
      entry: entry('create-testimonial'),
    });
    table.allow(create, 'GetItem', 'PutItem', 'UpdateItem');

    const list = new ServiceFunction(this, 'ListTestimonials', {
      stage,
      description: listTestimonialsContract.summary,
      entry: entry('list-testimonials'),
    });
    table.allow(list, 'GetItem', 'BatchGetItem', 'Query');
    table.allowIndexQueries(list);

    const index = new IndexFunction(this, 'ListIndex', { stage, table });

    const api = new TestimonialsApi(this, 'Api', {
      stage,
      operations: [
        { contract: createTestimonialContract, function: create },
        { contract: listTestimonialsContract, function: list },
      ],
      notFound: list,
      corsOrigins: context.corsOrigins,
    });

    new Alarms(this, 'Alarms', {
      api,
      create,
      list,
      index: index.function,
      table: table.table,
      deadLetters: index.deadLetters,
      email: context.alarmEmail,
    });

    new CfnOutput(this, 'ApiUrl', { value: api.url, description: 'Base address of the API' });
    new CfnOutput(this, 'ErasureLog', {
      value: index.function.logGroup.logGroupName,
      description: 'The log group that names what was erased, for a restore from a backup',
    });
    new CfnOutput(this, 'TableName', {
      value: table.table.tableName,
      description: 'The table, for the operator’s command line: --table',
    });
  }
}
