/**
 * Applies the policies of the template to the calls in this process, as AWS does. A call that its policy does
 * not allow is denied, and fails the suite even if the code recovers from it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, expect } from '@jest/globals';
import {
  bucketStatements,
  checkStatements,
  statementsOf,
  type TableRights,
} from '../../lib/infrastructure/table-rights.ts';
import { decide, type Statement } from './decide.ts';
import { policiesOf, tableArnOf } from './policies.ts';
import { tableRequest } from './table-request.ts';

export type Actor =
  | 'CreateTestimonial'
  | 'ListTestimonials'
  | 'ModerateTestimonials'
  | 'ServeDesk'
  | 'ServePages'
  | 'IndexTestimonials'
  | 'PublishEvents'
  | 'CheckBeforeTraffic'
  | 'Operator/Read'
  | 'Operator/Write';

const acting = new AsyncLocalStorage<Actor>();

/** Runs a function with the rights of an actor. Calls without an actor are not limited. */
export function actAs<Result>(actor: Actor, work: () => Result): Result {
  return acting.run(actor, work);
}

/** Each statement and action that allowed a call: `CreateTestimonial: Token GetItem`. */
export const usedRights = new Set<string>();

/** Returns a right in the form of `usedRights`. */
export function rightOf(actor: Actor, { Sid }: Statement, action: string): string {
  return `${actor}: ${Sid} ${action.replace(/^\w+:/, '')}`;
}

/** True for a statement that only the last release needs. */
export const isRetiring = ({ Sid = '' }: Statement) => Sid.startsWith('Retiring');

const template = JSON.parse(readFileSync(String(process.env.TEST_TEMPLATE), 'utf8'));
const policies = policiesOf(template);
const tableArn = tableArnOf(template);
/** Returns the statements of an actor's policy. */
export function policyOf(actor: Actor): Statement[] {
  const policy = policies.get(actor);
  if (!policy) throw new Error(`The template has no policy of ${actor}`);
  return policy;
}

const bucketArn = 'arn:media';

const arns = { table: tableArn, secondaryIndexes: [`${tableArn}/index/*`] };

/** Adds the policy of an actor that the default template lacks, as the stack would. */
export function addPolicy(actor: Actor, rights: TableRights): void {
  policies.set(actor, [...statementsOf(rights, arns), ...bucketStatements(rights, bucketArn)]);
}

// Only a gradual rollout has this function.
policies.set('CheckBeforeTraffic', checkStatements(arns));

const objectActions: Record<string, string> = {
  GET: 'GetObject',
  HEAD: 'GetObject',
  PUT: 'PutObject',
  DELETE: 'DeleteObject',
};

/**
 * Refuses a call of the bucket that the policy of its actor does not allow.
 * @throws as S3 does, with a response of 403
 */
export function assertMayCall({ method, url, headers }: Request): void {
  const actor = acting.getStore();
  if (!actor) return;
  const { pathname, searchParams } = new URL(url);
  const needed = [[searchParams.has('tagging') ? 'DeleteObjectTagging' : objectActions[method], pathname]];
  const source = headers.get('x-amz-copy-source');
  if (source !== null) needed.push(['GetObject', source]);
  if (headers.has('x-amz-tagging')) needed.push(['PutObjectTagging', pathname]);
  for (const [action, path] of needed)
    assertAllowed(actor, `s3:${action}`, `${bucketArn}${path?.replace(/^\/[^/]+/, '')}`);
}

function assertAllowed(actor: Actor, action: string, resource: string): void {
  // The policies of the template name the bucket by its logical id.
  const statements = policyOf(actor).map((statement) => ({
    ...statement,
    Resource: [statement.Resource].flat().map((each) => each.replace(/^arn:Media[^/]*/, bucketArn)),
  }));
  const { isAllowed, by } = decide(statements, { action, resource, context: {} });
  if (isAllowed && by) {
    usedRights.add(rightOf(actor, by, action));
    return;
  }
  const denial = `${actor} may not ${action} ${resource}`;
  denied.add(denial);
  throw new AccessDenied(denial);
}

const denied = new Set<string>();

class AccessDenied extends Error {
  override name = 'AccessDeniedException';
}

const send = DynamoDBDocumentClient.prototype.send;
DynamoDBDocumentClient.prototype.send = function (this: DynamoDBDocumentClient, ...args: unknown[]) {
  const actor = acting.getStore();
  if (actor) {
    const request = tableRequest(args[0] as Parameters<typeof tableRequest>[0], tableArn); // the command
    const { isAllowed, by } = decide(policyOf(actor), request);
    // A right that only the last release uses must not be used again.
    if (!isAllowed || !by || isRetiring(by)) {
      const denial = `${actor} may not ${request.action} ${Object.values(request.context).join()}`;
      denied.add(denial);
      return Promise.reject(new AccessDenied(denial));
    }
    usedRights.add(rightOf(actor, by, request.action));
  }
  return Reflect.apply(send, this, args);
};

afterAll(() => {
  expect([...denied]).toEqual([]);
});
