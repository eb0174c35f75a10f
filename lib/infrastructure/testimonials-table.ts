/** The one table and its six secondary indexes: the stack's own, or one that was restored from a backup. */
import {
  AttributeType,
  Billing,
  type ITableV2,
  ProjectionType,
  StreamViewType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Environment } from '../../functions/environment.ts';
import {
  projectedAttributes,
  type SecondaryIndex,
  secondaryIndexes,
  tableKey,
  ttlAttribute,
} from '../../functions/persistence/keys.ts';
import type { DeploymentContext, Stage } from './context.ts';
import { neverWritesTokens, statementsOf, type TableArns, type TableRights } from './table-rights.ts';

const tableNameVariable: keyof Environment = 'TABLE_NAME';
const everyIndex: SecondaryIndex[] = Object.values(secondaryIndexes).flatMap((bySort) =>
  Object.values(bySort),
);

const string = (name: string) => ({ name, type: AttributeType.STRING });

export class TestimonialsTable extends Construct {
  readonly table: ITableV2 | TableV2;

  constructor(scope: Construct, id: string, stage: Stage, context: DeploymentContext) {
    super(scope, id);
    const { recoveredTable } = stage;
    // Not the stack's: whoever restored it has set what a restore leaves out (docs/operations.md, “Restore from a backup”).
    this.table = recoveredTable
      ? TableV2.fromTableAttributes(this, 'Table', recoveredTable)
      : this.#own(stage, context);
  }

  #own(stage: Stage, context: DeploymentContext): TableV2 {
    const { warmThroughput: warm, maxReadRequestUnits, maxWriteRequestUnits } = context;
    // What it is prepared for, and beyond which it throttles. Each secondary index is another table to DynamoDB: it gets the same.
    const most = {
      ...(maxReadRequestUnits !== undefined && { maxReadRequestUnits }),
      ...(maxWriteRequestUnits !== undefined && { maxWriteRequestUnits }),
    };
    const prepared = warm && {
      warmThroughput: { readUnitsPerSecond: warm.reads, writeUnitsPerSecond: warm.writes },
    };
    return new TableV2(this, 'Table', {
      partitionKey: string(tableKey.partition),
      sortKey: string(tableKey.sort),
      globalSecondaryIndexes: everyIndex.map(({ name, partition, sort }) => ({
        indexName: name,
        partitionKey: string(partition),
        sortKey: string(sort),
        projectionType: ProjectionType.INCLUDE,
        nonKeyAttributes: [...projectedAttributes],
        ...most,
        ...prepared,
      })),
      billing: Billing.onDemand(most),
      ...prepared,
      dynamoStream: StreamViewType.KEYS_ONLY,
      timeToLiveAttribute: ttlAttribute,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      encryption: TableEncryptionV2.awsManagedKey(),
      deletionProtection: stage.isProtected,
      removalPolicy: stage.removalPolicy,
      // CloudFormation gives the stack's tags to resources that have tags, and this one has them by replica.
      tags: Object.entries(stage.tags).map(([key, value]) => ({ key, value })),
    });
  }

  /** Lets a function do exactly this with the table's items, and tells it the table's name. */
  allow(fn: LambdaFunction, rights: TableRights): void {
    fn.addEnvironment(tableNameVariable, this.table.tableName);
    const denied = rights.token?.includes('PutItem') ? [] : [neverWritesTokens(this.arns)];
    for (const statement of [...statementsOf(rights, this.arns), ...denied]) {
      fn.addToRolePolicy(PolicyStatement.fromJson(statement));
    }
  }

  get arns(): TableArns {
    const { tableArn } = this.table;
    return {
      table: tableArn,
      secondaryIndexes: everyIndex.map(({ name }) => `${tableArn}/index/${name}`),
    };
  }
}
