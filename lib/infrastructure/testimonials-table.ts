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
  type SecondaryIndex,
  secondaryIndexes,
  tableKey,
  ttlAttribute,
} from '../../functions/persistence/keys.ts';
import type { Stage } from './stage.ts';

type TableFunction = Pick<LambdaFunction, 'addEnvironment' | 'addToRolePolicy'>;
type TableAction =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'BatchWriteItem';

const tableNameVariable: keyof Environment = 'TABLE_NAME';
const everyIndex: SecondaryIndex[] = Object.values(secondaryIndexes).flatMap((bySort) =>
  Object.values(bySort),
);

const string = (name: string) => ({ name, type: AttributeType.STRING });

export class TestimonialsTable extends Construct {
  readonly table: ITableV2 | TableV2;

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id);
    const { recoveredTable } = stage;
    // Not the stack's: whoever restored it has set what a restore leaves out (docs/operations.md, “Restore from a backup”).
    this.table = recoveredTable
      ? TableV2.fromTableAttributes(this, 'Recovered', recoveredTable)
      : this.#own(stage);
  }

  #own(stage: Stage): TableV2 {
    return new TableV2(this, 'Table', {
      partitionKey: string(tableKey.partition),
      sortKey: string(tableKey.sort),
      globalSecondaryIndexes: everyIndex.map(({ name, partition, sort }) => ({
        indexName: name,
        partitionKey: string(partition),
        sortKey: string(sort),
        projectionType: ProjectionType.ALL,
      })),
      billing: Billing.onDemand(),
      dynamoStream: StreamViewType.KEYS_ONLY,
      timeToLiveAttribute: ttlAttribute,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      encryption: TableEncryptionV2.awsManagedKey(),
      deletionProtection: stage.isProtected,
      removalPolicy: stage.removalPolicy,
    });
  }

  /** Lets a function do exactly these actions on the table's items, and tells it the table's name. */
  allow(fn: TableFunction, ...actions: TableAction[]): void {
    fn.addEnvironment(tableNameVariable, this.table.tableName);
    fn.addToRolePolicy(statement(actions, [this.table.tableArn]));
  }

  /** Lets a function query the secondary indexes. */
  allowIndexQueries(fn: TableFunction): void {
    const arns = everyIndex.map(({ name }) => `${this.table.tableArn}/index/${name}`);
    fn.addToRolePolicy(statement(['Query'], arns));
  }
}

function statement(actions: TableAction[], resources: string[]): PolicyStatement {
  return new PolicyStatement({ actions: actions.map((action) => `dynamodb:${action}`), resources });
}
