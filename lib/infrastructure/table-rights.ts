/**
 * The rights of each function, and of operators through the two managed policies, to each kind of item. The
 * whole test suite verifies that no caller needs more rights, and test/long/table-rights.test.ts that each
 * caller uses all of its rights.
 */

import { without } from '../../functions/domain/without.ts';
import { type PartitionKind, partitionKinds } from '../../functions/dynamodb/keys.ts';
import retiringJson from './retiring-rights.json' with { type: 'json' };
import rightsJson from './table-rights.json' with { type: 'json' };

const writes = ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem'] as const;

type Action = 'GetItem' | 'BatchGetItem' | 'Query' | (typeof writes)[number];

type ObjectAction = 'GetObject' | 'PutObject' | 'PutObjectTagging' | 'DeleteObjectTagging' | 'DeleteObject';

/** The objects of the bucket with media, by kind. Copying an object requires the right to get it. */
const objectKinds = { formUploads: 'in/f/*', apiUploads: 'in/a/*', media: 'm/*' } as const;

type ObjectKind = keyof typeof objectKinds;

/**
 * The allowed actions by kind of item, and by kind of object if the deployment has media. All items of a
 * batch are of one kind.
 */
export type TableRights = Partial<Record<PartitionKind | 'secondaryIndexes', readonly Action[]>> &
  Partial<Record<ObjectKind, readonly ObjectAction[]>>;

/**
 * The rights of each function and of operators. `ownPages` is added to `desk` if the deployment has pages,
 * and `invite` to `operatorWrite` if it has a desk. An action that does not exist is an unused right.
 */
export const tableRights = rightsJson as Record<keyof typeof rightsJson, TableRights>;

/**
 * Rights by function that this version no longer uses, but the release `lastUsedBy` does. Policies change
 * immediately, while that release still serves some of the requests and may get all of them back. A test
 * requires the list to be empty after the next release.
 */
export const retiringRights: { lastUsedBy: string; rights: Record<string, TableRights> } = retiringJson;

export interface TableArns {
  table: string;
  secondaryIndexes: string[];
}

export interface Statement {
  Sid: string;
  Effect: 'Allow' | 'Deny';
  Action: string[];
  Resource: string[];
  Condition?: Record<string, Record<string, string>>;
}

/**
 * Returns the statements that grant these rights, one per kind of item. They allow little rather than deny
 * much, as AWS recommends
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html). ForAllValues
 * also matches a request without a key, so Null requires one
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition_examples-multi-valued-context-keys.html).
 */
export function statementsOf(rights: TableRights, arns: TableArns): Statement[] {
  const items = without(rights, ...(Object.keys(objectKinds) as ObjectKind[])); // of a constant
  // The type of Object.entries loses the names.
  const entries = Object.entries(items) as [keyof typeof items, readonly Action[]][];
  return entries.map(([kind, actions]) =>
    kind === 'secondaryIndexes'
      ? // Secondary indexes contain only testimonials.
        statement(kind, actions, { Resource: arns.secondaryIndexes })
      : statement(kind, actions, { Resource: [arns.table], Condition: keysOf(kind) }),
  );
}

/** Returns the statements that grant these rights to the objects of a bucket, one per kind of object. */
export function bucketStatements(rights: TableRights, bucketArn: string): Statement[] {
  return Object.entries(objectKinds).flatMap(([kind, keys]) => {
    const actions = rights[kind as ObjectKind] ?? []; // of a constant
    const Action = actions.map((action) => `s3:${action}`);
    return Action.length === 0
      ? []
      : [{ Sid: sidOf(kind), Effect: 'Allow' as const, Action, Resource: [`${bucketArn}/${keys}`] }];
  });
}

const leadingKeys = 'dynamodb:LeadingKeys';

/** Returns the condition that all keys of a request are of this kind. */
function keysOf(kind: PartitionKind): Record<string, Record<string, string>> {
  const { like, unlike }: { like: string; unlike?: string } = partitionKinds[kind];
  return {
    'ForAllValues:StringLike': { [leadingKeys]: like },
    ...(unlike !== undefined && { 'ForAllValues:StringNotLike': { [leadingKeys]: unlike } }),
    Null: { [leadingKeys]: 'false' },
  };
}

/**
 * Returns the statements of the check before a rollout: the statements of all commands, limited to
 * organizations of checks.
 */
export function checkStatements(arns: TableArns): Statement[] {
  const { secondaryIndexes: _, ...rights } = tableRights.operatorWrite;
  const all = JSON.stringify(statementsOf({ ...rights, ...tableRights.invite }, arns));
  return JSON.parse(all.replaceAll('"ORG#*', '"ORG#check-*'));
}

/**
 * Returns all statements of a function: for its rights, for rights that only the last release uses, and
 * against writes of tokens.
 */
export function functionStatements(
  name: string,
  rights: TableRights,
  arns: TableArns,
  last = retiringRights,
): Statement[] {
  const retired = statementsOf(last.rights[name] ?? {}, arns);
  const denials = rights.token?.includes('PutItem') ? [] : [neverWritesTokens(arns)];
  const named = retired.map((each) => ({ ...each, Sid: `Retiring${each.Sid}` }));
  return [...statementsOf(rights, arns), ...named, ...denials];
}

/**
 * Denies writes of tokens, even if another statement allows them. A single matching key is enough. No other
 * statement allows a request without keys.
 */
function neverWritesTokens({ table }: TableArns): Statement {
  return statement('neverWritesTokens', [...writes, 'PartiQLInsert', 'PartiQLUpdate', 'PartiQLDelete'], {
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
  return {
    Sid: sidOf(name),
    Effect: 'Allow',
    Action: actions.map((action) => `dynamodb:${action}`),
    ...rest,
  };
}

/** A Sid may contain only letters and digits. */
const sidOf = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
