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

/** An account in which one stack is deployed, as far as its functions go. */
class Account {
  /** What each function is, and what each of its versions is, the oldest first. */
  readonly #latest = new Map<string, string>();
  readonly #published = new Map<string, { number: number; what: string }[]>();
  /** The versions that the stack has, by logical id. */
  #stack = new Map<string, { fn: string; number: number }>();
  #last = 0;

  /** @throws where CloudFormation cannot publish a version */
  deploy(resources: Resources, { tableName = ownTable, isRolledBack = false } = {}): void {
    const before = new Map(this.#latest);
    for (const [id, { Type, Properties }] of Object.entries(resources)) {
      if (Type === 'AWS::Lambda::Function') this.#latest.set(id, whatOf(Properties, resources, tableName));
    }
    const versions = Object.entries(resources).filter(([, { Type }]) => Type === 'AWS::Lambda::Version');
    const created = versions.filter(([id]) => !this.#stack.has(id));
    const stack = new Map(
      created.map(([id, { Properties }]) => [id, this.#publish(Properties.FunctionName?.Ref ?? '')]),
    );
    if (isRolledBack) {
      for (const [id, fn] of before) this.#latest.set(id, fn);
      // https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-attribute-deletionpolicy.html
      for (const [id, { DeletionPolicy }] of created)
        if (DeletionPolicy !== 'Retain') this.#delete(stack.get(id));
      return;
    }
    const gone = [...this.#stack].filter(([id]) => !(id in resources));
    const isKept = versions.every(([, { DeletionPolicy = 'Delete' }]) => DeletionPolicy.startsWith('Retain'));
    for (const [id, version] of gone) {
      this.#stack.delete(id);
      if (!isKept) this.#delete(version);
    }
    this.#stack = new Map([...this.#stack, ...stack]);
  }

  /** How many versions a function has. */
  count(name: string): number {
    const [, versions = []] = [...this.#published].find(([id]) => id.startsWith(name)) ?? [];
    return versions.length;
  }

  // Lambda “doesn't publish a version if the function's configuration and code haven't changed since the last version”
  // (https://docs.aws.amazon.com/lambda/latest/api/API_PublishVersion.html), and returns that one.
  #publish(fn: string): { fn: string; number: number } {
    const versions = this.#published.get(fn) ?? [];
    const what = this.#latest.get(fn) ?? '';
    if (versions.at(-1)?.what === what) throw new Error(`A version for this Lambda function exists: ${fn}`);
    this.#last += 1;
    this.#published.set(fn, [...versions, { number: this.#last, what }]);
    return { fn, number: this.#last };
  }

  #delete(version: { fn: string; number: number } | undefined): void {
    if (!version) return;
    const { fn, number } = version;
    this.#published.set(
      fn,
      (this.#published.get(fn) ?? []).filter((each) => each.number !== number),
    );
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
  test('that was rolled back can be made again', () => {
    const account = new Account();
    account.deploy(first);
    account.deploy(second, { isRolledBack: true });
    expect(account.count('ListTestimonials')).toBe(1);
    account.deploy(second);
    expect(account.count('ListTestimonials')).toBe(2);
  });

  test('cannot where versions are retained whatever happens', () => {
    const retained: Resources = JSON.parse(
      JSON.stringify(second).replaceAll('"RetainExceptOnCreate"', '"Retain"'),
    );
    const account = new Account();
    account.deploy(first);
    account.deploy(retained, { isRolledBack: true });
    expect(() => account.deploy(retained)).toThrow('A version for this Lambda function exists');
  });

  test('keeps the versions of those before it, and may bring one of them back', () => {
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
