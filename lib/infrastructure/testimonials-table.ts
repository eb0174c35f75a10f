/** The table with its six secondary indexes: the stack's own table, or one restored from a backup. */
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import {
  projectedAttributes,
  type SecondaryIndex,
  secondaryIndexes,
  tableKey,
  ttlAttribute,
} from '../../functions/dynamodb/keys.ts';
import type { Environment } from '../../functions/environment.ts';
import type { DeploymentContext, Stage } from './context.ts';
import { functionStatements, type TableArns, type TableRights } from './table-rights.ts';

const tableNameVariable: keyof Environment = 'TABLE_NAME';
const everyIndex: SecondaryIndex[] = Object.values(secondaryIndexes).flatMap((bySort) =>
  Object.values(bySort),
);

const string = (name: string) => ({ name, type: dynamodb.AttributeType.STRING });

export class TestimonialsTable extends Construct {
  readonly table: dynamodb.ITableV2 | dynamodb.TableV2;

  constructor(scope: Construct, id: string, stage: Stage, context: DeploymentContext) {
    super(scope, id);
    const { recoveredTable } = stage;
    // The stack does not own a restored table; its settings are set by hand (docs/recovery.md).
    this.table = recoveredTable
      ? dynamodb.TableV2.fromTableAttributes(this, 'Table', recoveredTable)
      : this.#own(stage, context);
  }

  #own(stage: Stage, context: DeploymentContext): dynamodb.TableV2 {
    const { warmThroughput: warm, maxReadRequestUnits, maxWriteRequestUnits } = context;
    // DynamoDB prepares and throttles each secondary index like a table, so the same values apply.
    const maximum = {
      ...(maxReadRequestUnits !== undefined && { maxReadRequestUnits }),
      ...(maxWriteRequestUnits !== undefined && { maxWriteRequestUnits }),
    };
    const prepared = warm && {
      warmThroughput: { readUnitsPerSecond: warm.reads, writeUnitsPerSecond: warm.writes },
    };
    return new dynamodb.TableV2(this, 'Table', {
      partitionKey: string(tableKey.partition),
      sortKey: string(tableKey.sort),
      globalSecondaryIndexes: everyIndex.map(({ name, partition, sort }) => ({
        indexName: name,
        partitionKey: string(partition),
        sortKey: string(sort),
        projectionType: dynamodb.ProjectionType.INCLUDE,
        nonKeyAttributes: [...projectedAttributes],
        ...maximum,
        ...prepared,
      })),
      billing: dynamodb.Billing.onDemand(maximum),
      ...prepared,
      dynamoStream: dynamodb.StreamViewType.KEYS_ONLY,
      timeToLiveAttribute: ttlAttribute,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      encryption: dynamodb.TableEncryptionV2.awsManagedKey(),
      deletionProtection: stage.isProtected,
      removalPolicy: stage.removalPolicy,
      // The stack's tags do not reach this resource, because its replicas have their own tags.
      tags: Object.entries(stage.tags).map(([key, value]) => ({ key, value })),
    });
  }

  /**
   * Grants a function exactly these rights to the table's items, and sets its variable with the table's name.
   */
  allow(fn: LambdaFunction, rights: TableRights): void {
    fn.addEnvironment(tableNameVariable, this.table.tableName);
    for (const statement of functionStatements(fn.node.id, rights, this.arns))
      fn.addToRolePolicy(PolicyStatement.fromJson(statement));
  }

  get arns(): TableArns {
    const { tableArn } = this.table;
    return {
      table: tableArn,
      secondaryIndexes: everyIndex.map(({ name }) => `${tableArn}/index/${name}`),
    };
  }
}
