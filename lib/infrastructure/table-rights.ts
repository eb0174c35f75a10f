/**
 * Who may do what with which items of the table: the functions, and operators who were given one of the two managed policies.
 * test/long/table-rights.test.ts holds that each does all of it, and the whole suite that nobody does more.
 */
import { type PartitionKind, partitionKinds } from '../../functions/persistence/keys.ts';

type Action =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'BatchWriteItem';

/** The actions on each kind of items; the items of a batch are of one kind. */
export type TableRights = Partial<Record<PartitionKind | 'secondaryIndexes', readonly Action[]>>;

export const tableRights = {
  create: {
    absent: ['GetItem'],
    token: ['GetItem'],
    organization: ['GetItem', 'PutItem', 'UpdateItem'],
    idempotencyKey: ['GetItem', 'PutItem'],
    budget: ['GetItem', 'UpdateItem'],
  },
  list: {
    absent: ['GetItem'],
    token: ['GetItem'],
    organization: ['GetItem', 'BatchGetItem', 'Query'],
    listIndex: ['BatchGetItem', 'Query'],
    secondaryIndexes: ['Query'],
    budget: ['GetItem', 'UpdateItem'],
  },
  moderate: {
    absent: ['GetItem'],
    token: ['GetItem'],
    organization: ['GetItem', 'PutItem', 'UpdateItem'],
    erasure: ['PutItem'],
    budget: ['GetItem', 'UpdateItem'],
  },
  desk: {
    absent: ['GetItem'],
    pass: ['GetItem', 'PutItem', 'DeleteItem'],
    // Tokens of web pages; those of other permissions it neither makes nor lists.
    token: ['PutItem', 'DeleteItem'],
    organizations: ['PutItem'],
    organization: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
    erasure: ['PutItem'],
    listIndex: ['BatchGetItem', 'Query'],
    secondaryIndexes: ['Query'],
    budget: ['GetItem', 'UpdateItem'],
  },
  index: {
    organization: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'BatchWriteItem'],
    erasure: ['Query', 'BatchWriteItem'],
    listIndex: ['BatchGetItem', 'Query', 'PutItem', 'DeleteItem', 'BatchWriteItem'],
    organizations: ['Query'],
    renewal: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'],
  },
  events: {
    organization: ['BatchGetItem'],
  },
  operatorRead: {
    absent: ['GetItem'],
    organizations: ['Query'],
    organization: ['GetItem', 'BatchGetItem', 'Query'],
    erasure: ['Query'],
    listIndex: ['BatchGetItem', 'Query'],
    secondaryIndexes: ['Query'],
    budget: ['GetItem', 'Query'],
  },
  operatorWrite: {
    absent: ['GetItem'],
    organizations: ['Query', 'PutItem', 'DeleteItem'],
    organization: [
      ...(['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'] as const),
      ...(['DeleteItem', 'BatchWriteItem'] as const),
    ],
    erasure: ['Query', 'PutItem', 'BatchWriteItem'],
    listIndex: ['BatchGetItem', 'Query', 'PutItem', 'DeleteItem', 'BatchWriteItem'],
    token: ['PutItem', 'DeleteItem'],
    idempotencyKey: ['BatchWriteItem'],
    secondaryIndexes: ['Query'],
    budget: ['GetItem', 'Query', 'PutItem', 'DeleteItem', 'BatchWriteItem'],
  },
  // Beside that, where there is a desk to invite to.
  invite: { pass: ['PutItem'] },
} as const satisfies Record<string, TableRights>;

/** What the statements are about: ARNs. */
export interface TableArns {
  table: string;
  secondaryIndexes: string[];
}

/** A statement of a policy, as IAM has it. */
export interface Statement {
  Sid: string;
  Effect: 'Allow' | 'Deny';
  Action: string[];
  Resource: string[];
  Condition?: Record<string, Record<string, string>>;
}

/**
 * The statements that give these rights, one for each kind of items.
 *
 * They allow little instead of denying much, as AWS advises
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html). ForAllValues is also true of a
 * request that says no key, so Null asks for one
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition_examples-multi-valued-context-keys.html).
 */
export function statementsOf(rights: TableRights, arns: TableArns): Statement[] {
  // The compiler's own type of entries forgets their names.
  const entries = Object.entries(rights) as [keyof TableRights, readonly Action[]][];
  return entries.map(([kind, actions]) =>
    kind === 'secondaryIndexes'
      ? // They have nothing but testimonials.
        statement(kind, actions, { Resource: arns.secondaryIndexes })
      : statement(kind, actions, { Resource: [arns.table], Condition: keysOf(kind) }),
  );
}

const leadingKeys = 'dynamodb:LeadingKeys';

/** The condition that all keys of a request are of a kind. */
function keysOf(kind: PartitionKind): Record<string, Record<string, string>> {
  const { like, unlike }: { like: string; unlike?: string } = partitionKinds[kind];
  return {
    'ForAllValues:StringLike': { [leadingKeys]: like },
    ...(unlike !== undefined && { 'ForAllValues:StringNotLike': { [leadingKeys]: unlike } }),
    Null: { [leadingKeys]: 'false' },
  };
}

/**
 * No function but the desk's ever writes a token, whatever else allows it to. Any key of a request is enough: one that says none, no
 * other statement allows.
 */
export function neverWritesTokens({ table }: TableArns): Statement {
  const actions = ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem'] as const;
  return statement('neverWritesTokens', [...actions, 'PartiQLInsert', 'PartiQLUpdate', 'PartiQLDelete'], {
    Effect: 'Deny',
    Resource: [table],
    Condition: { 'ForAnyValue:StringLike': { [leadingKeys]: partitionKinds.token.like } },
  });
}

function statement(
  name: string,
  actions: readonly string[],
  rest: Pick<Statement, 'Resource' | 'Condition'> & { Effect?: 'Deny' },
): Statement {
  // Sids have letters and digits.
  const Sid = name.charAt(0).toUpperCase() + name.slice(1);
  return { Sid, Effect: 'Allow', Action: actions.map((action) => `dynamodb:${action}`), ...rest };
}
