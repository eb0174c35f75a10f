/**
 * The rights of each function, and of operators through the two managed policies, to each kind of item. The
 * whole suite tests that no caller needs more, and test/long/table-rights.test.ts that each caller uses all
 * of them.
 */
import { type PartitionKind, partitionKinds } from '../../functions/persistence/keys.ts';
import retiringJson from './retiring-rights.json' with { type: 'json' };
import rightsJson from './table-rights.json' with { type: 'json' };

const writes = ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem'] as const;

type Action = 'GetItem' | 'BatchGetItem' | 'Query' | (typeof writes)[number];

/** The allowed actions by kind of item. All items of a batch are of one kind. */
export type TableRights = Partial<Record<PartitionKind | 'secondaryIndexes', readonly Action[]>>;

/**
 * The rights of each function and of operators. `ownPages` are added to `desk` if the deployment has pages,
 * and `invite` to `operatorWrite` if it has a desk. An action that does not exist is an unused right.
 */
export const tableRights = rightsJson as Record<keyof typeof rightsJson, TableRights>;

/**
 * Rights by function that this version no longer uses, but the release `lastUsedBy` does. Policies change at
 * once, while that release still serves a part of the requests and may get all of them back. A test requires
 * the list to be empty after the next release.
 */
export const retiring: { lastUsedBy: string; rights: Record<string, TableRights> } = retiringJson;

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
 * Returns the statements that grant these rights, one per kind of item. They allow little instead of denying
 * much, as AWS advises
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html). ForAllValues
 * also matches a request without a key, so Null requires one
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition_examples-multi-valued-context-keys.html).
 */
export function statementsOf(rights: TableRights, arns: TableArns): Statement[] {
  // The type of Object.entries loses the names.
  const entries = Object.entries(rights) as [keyof TableRights, readonly Action[]][];
  return entries.map(([kind, actions]) =>
    kind === 'secondaryIndexes'
      ? // Secondary indexes contain only testimonials.
        statement(kind, actions, { Resource: arns.secondaryIndexes })
      : statement(kind, actions, { Resource: [arns.table], Condition: keysOf(kind) }),
  );
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
 * Returns the statements of the check before a rollout: those of all commands, for the organizations of
 * checks.
 */
export function checkStatements(arns: TableArns): Statement[] {
  const { secondaryIndexes: _, ...rights } = tableRights.operatorWrite;
  const all = JSON.stringify(statementsOf({ ...rights, ...tableRights.invite }, arns));
  return JSON.parse(all.replaceAll('"ORG#*', '"ORG#check-*'));
}

/**
 * Returns all statements of a function: for its rights, for those that only the last release uses, and
 * against writes of tokens.
 */
export function functionStatements(
  name: string,
  rights: TableRights,
  arns: TableArns,
  last = retiring,
): Statement[] {
  const retired = statementsOf(last.rights[name] ?? {}, arns);
  const denials = rights.token?.includes('PutItem') ? [] : [neverWritesTokens(arns)];
  const named = retired.map((each) => ({ ...each, Sid: `Retiring${each.Sid}` }));
  return [...statementsOf(rights, arns), ...named, ...denials];
}

/**
 * Denies writes of tokens, even if another statement allows them. One matching key is enough. No
 * other statement allows a request without keys.
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
  // A Sid may contain letters and digits only.
  const Sid = name.charAt(0).toUpperCase() + name.slice(1);
  return { Sid, Effect: 'Allow', Action: actions.map((action) => `dynamodb:${action}`), ...rest };
}
