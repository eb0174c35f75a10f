/** What becomes of the versions of a function from one deployment to the next: the template, under CloudFormation's rules and Lambda's. */
import { describe, expect, test } from '@jest/globals';
import { synthesizeWith } from './synthesized.ts';

interface Resource {
  Type: string;
  DeletionPolicy?: string;
  Properties: { FunctionName?: { Ref: string }; Architectures?: unknown };
}
type Resources = Record<string, Resource>;

/** The name of the stack's own table. */
const ownTable = 'testimonials-own';

interface Version {
  fn: string;
  what: string;
}

/** An account in which one stack is deployed, as far as its functions go. */
class Account {
  /** What was published and not deleted, the oldest first. */
  #published: Version[] = [];
  /** The versions that the stack has, by logical id. */
  #stack = new Map<string, Version>();

  /** @throws where CloudFormation cannot publish a version */
  deploy(resources: Resources, { tableName = ownTable, isRolledBack = false } = {}): void {
    const all = Object.entries(resources);
    const functions = all.filter(([, { Type }]) => Type === 'AWS::Lambda::Function');
    const latest = new Map(
      functions.map(([id, { Properties }]) => [id, whatOf(Properties, resources, tableName)]),
    );
    const versions = all.filter(([, { Type }]) => Type === 'AWS::Lambda::Version');
    const stack = new Map(
      versions.map(
        ([
          id,
          {
            Properties: { FunctionName },
          },
        ]) => {
          const fn = FunctionName?.Ref ?? '';
          return [id, this.#stack.get(id) ?? this.#publish({ fn, what: latest.get(fn) ?? '' })];
        },
      ),
    );
    const policyOf = (id: string) => resources[id]?.DeletionPolicy ?? 'Delete';
    if (isRolledBack) {
      // https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-attribute-deletionpolicy.html
      const created = [...stack].filter(([id]) => !this.#stack.has(id) && policyOf(id) !== 'Retain');
      this.#delete(created.map(([, version]) => version));
      return;
    }
    const isKept = versions.every(([id]) => policyOf(id).startsWith('Retain'));
    const gone = [...this.#stack].filter(([id]) => !stack.has(id));
    if (!isKept) this.#delete(gone.map(([, version]) => version));
    this.#stack = stack;
  }

  /** How many versions a function has. */
  count(name: string): number {
    return this.#published.filter(({ fn }) => fn.startsWith(name)).length;
  }

  // Lambda “doesn't publish a version if the function's configuration and code haven't changed since the last version”
  // (https://docs.aws.amazon.com/lambda/latest/api/API_PublishVersion.html), and returns that one.
  #publish(version: Version): Version {
    const last = this.#published.findLast(({ fn }) => fn === version.fn);
    if (last?.what === version.what)
      throw new Error(`A version for this Lambda function exists: ${version.fn}`);
    this.#published.push(version);
    return version;
  }

  #delete(versions: readonly Version[]): void {
    this.#published = this.#published.filter((each) => !versions.includes(each));
  }
}

/** A function as Lambda gets it: with the name of the table, whoever gives it. */
function whatOf(properties: Resource['Properties'], resources: Resources, tableName: string): string {
  const table = Object.keys(resources).find((id) => resources[id]?.Type === 'AWS::DynamoDB::GlobalTable');
  return JSON.stringify(properties).replaceAll(JSON.stringify({ Ref: table }), JSON.stringify(tableName));
}

const synthesized = (context: Record<string, unknown> = {}): Resources =>
  synthesizeWith({ stage: 'prod', ...context }).template.toJSON().Resources;
const first = synthesized();
const second = synthesized({ organizationBudget: '1', logRetentionDays: 30 });

describe('a deployment', () => {
  test('can be repeated after a rollback', () => {
    const account = new Account();
    account.deploy(first);
    account.deploy(second, { isRolledBack: true });
    expect(account.count('ListTestimonials')).toBe(1);
    account.deploy(second);
    expect(account.count('ListTestimonials')).toBe(2);
  });

  test('cannot be repeated if versions are always retained', () => {
    const retained: Resources = JSON.parse(
      JSON.stringify(second).replaceAll('"RetainExceptOnCreate"', '"Retain"'),
    );
    const account = new Account();
    account.deploy(first);
    account.deploy(retained, { isRolledBack: true });
    expect(() => account.deploy(retained)).toThrow('A version for this Lambda function exists');
  });

  test('keeps earlier versions, and may return to one of them', () => {
    const account = new Account();
    for (const each of [first, second, first]) account.deploy(each);
    expect(account.count('CreateTestimonial')).toBe(3);
  });

  test('adopts a table that was restored, and gives it back to the stack', () => {
    const tableName = 'testimonials-restored';
    const streamArn = `arn:aws:dynamodb:eu-central-1:123456789012:table/${tableName}/stream/2026-11-22T03:11:02.622`;
    const account = new Account();
    account.deploy(first);
    account.deploy(synthesized({ recoveredTable: `prod=${streamArn}` }));
    account.deploy(first, { tableName });
    expect(account.count('IndexTestimonials')).toBe(3);
  });
});
