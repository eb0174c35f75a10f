/** The context values that a deployment takes (`cdk deploy -c name=value`): their rules, defaults and meaning. */
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Node } from 'constructs';
import * as v from 'valibot';

const text = v.union([v.string(), v.pipe(v.number(), v.transform(String))]);

function number(rule: string, isValid: (value: number) => boolean) {
  return v.pipe(
    text,
    v.transform((value) => (value.trim() === '' ? Number.NaN : Number(value))),
    v.check(isValid, rule),
  );
}

const wholeFrom = (least: number) =>
  number(`must be a whole number from ${least}`, (value) => Number.isSafeInteger(value) && value >= least);

const requestsASecond = number(
  'must be requests a second, such as 250, or 0 for no limit',
  (value) => value >= 0,
);

const dollars = number('must be an amount in US dollars, such as 0.50, or 0 for none', (value) => value >= 0);

const emailAddress = v.optional(
  v.pipe(v.string(), v.regex(/^[^@\s]+@[^@\s]+$/, 'must be an e-mail address')),
);

const yesOrNo = v.pipe(
  v.union([v.string(), v.pipe(v.boolean(), v.transform(String))]),
  v.picklist(['true', 'false'], 'must be true or false'),
  v.transform((value) => value === 'true'),
);

const origins = v.pipe(
  v.string(),
  v.transform((value) =>
    value
      .split(',')
      .map((origin) => origin.trim())
      .filter((origin) => origin !== ''),
  ),
  v.everyItem(
    (origin) => origin === '*' || (URL.canParse(origin) && new URL(origin).origin === origin),
    'must be origins like https://www.example.com, separated by commas',
  ),
);

const retentionDays = Object.values(RetentionDays).filter(
  (days) => typeof days === 'number' && days !== RetentionDays.INFINITE,
);

// With its stage: it stands in cdk.json, which all stages read. The ARN names region, account, table and stream.
const recovered =
  /^([a-z][a-z0-9-]{0,19})=(arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:\d{12}:table\/([\w.-]{3,255})\/stream\/[\d:T.-]+)$/;

/** The schema of every context value; `cdk` passes texts, cdk.json anything. docs/operations.md says what each does. */
export const contextValues = {
  stage: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^[a-z][a-z0-9-]{0,19}$/, 'must be 1 to 20 of a-z, 0-9 and -, beginning with a letter'),
    ),
    'dev',
  ),
  protect: v.optional(yesOrNo),
  corsOrigins: v.optional(origins, ''),
  alarmEmail: emailAddress,
  stageRate: v.optional(wholeFrom(1), '5000'),
  organizationBudget: v.optional(dollars, '0.50'),
  organizationRate: v.optional(requestsASecond),
  monthlyBudget: v.optional(dollars),
  domainName: v.optional(
    v.pipe(
      v.string(),
      v.regex(
        /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
        'must be a domain name like api.example.com',
      ),
    ),
  ),
  certificateArn: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/.+$/, 'must be the ARN of a certificate'),
    ),
  ),
  warmThroughput: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d+,\d+$/, 'must be read and write units a second, such as 30000,8000'),
      v.transform((value) => value.split(',').map(Number)),
      v.check(([reads = 0, writes = 0]) => reads >= 12_000 && writes >= 4000, 'must be 12000,4000 or more'),
      v.transform(([reads = 0, writes = 0]) => ({ reads, writes })),
    ),
  ),
  maxReadRequestUnits: v.optional(wholeFrom(1)),
  maxWriteRequestUnits: v.optional(wholeFrom(1)),
  reservedConcurrency: v.optional(wholeFrom(1)),
  logRetentionDays: v.optional(
    number(`must be one of ${retentionDays.join(', ')}`, (value) => retentionDays.includes(value)),
  ),
  moderation: v.optional(yesOrNo, 'false'),
  desk: v.optional(yesOrNo, 'false'),
  events: v.optional(yesOrNo, 'false'),
  newTestimonialEmail: emailAddress,
  webhookUrl: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(2048, 'must have at most 2,048 characters'),
      v.check(
        (value) => URL.canParse(value) && new URL(value).protocol === 'https:' && !value.includes('*'),
        'must be an address like https://www.example.com/hook',
      ),
    ),
  ),
  recoveredTable: v.optional(
    v.pipe(
      v.string(),
      v.regex(
        recovered,
        'must be a stage and the ARN of a table’s stream, such as prod=arn:aws:dynamodb:…/stream/…',
      ),
      v.transform((value) => {
        const [, stage = '', tableStreamArn = '', tableName = ''] = recovered.exec(value) ?? [];
        return { stage, table: { tableName, tableStreamArn } };
      }),
    ),
  ),
} as const satisfies Record<string, v.GenericSchema<unknown>>;

type Name = keyof typeof contextValues;

/** What whoever deploys has asked for. */
export type DeploymentContext = {
  [Key in Name]: v.InferOutput<(typeof contextValues)[Key]>;
};

/** Says which context values are not valid, each with its rule. */
export class InvalidContext extends Error {}

/**
 * Reads the context values of an app.
 * @throws InvalidContext
 */
export function contextOf(node: Node): DeploymentContext {
  const problems = unknownValues(node);
  const read = Object.entries<v.GenericSchema<unknown>>(contextValues).map(([name, schema]) => {
    const given: unknown = node.tryGetContext(name) ?? undefined;
    const { success, output, issues } = v.safeParse(schema, given);
    if (!success) problems.push(`"${name}" ${issues[0].message}, not ${JSON.stringify(given)}`);
    return [name, output];
  });
  // Each member is what its schema gives.
  const context = Object.fromEntries(read) as DeploymentContext;
  if ((context.domainName === undefined) !== (context.certificateArn === undefined)) {
    problems.push('"domainName" and "certificateArn" must be given together');
  }
  if (context.monthlyBudget !== undefined && context.alarmEmail === undefined) {
    problems.push('"monthlyBudget" needs "alarmEmail", whom it is told to');
  }
  if (!context.events) {
    for (const name of ['newTestimonialEmail', 'webhookUrl'] as const) {
      if (context[name] !== undefined) problems.push(`"${name}" needs "events", which it is made of`);
    }
  }
  if (problems.length > 0) throw new InvalidContext(`Context values are not valid: ${problems.join('; ')}`);
  return context;
}

/** What is not ours has a colon or an at sign in its name: flags of the CDK, what `cdk` looked up. */
function unknownValues(node: Node): string[] {
  const given: string[] = Object.keys(node.getAllContext());
  return given
    .filter((name) => !/[:@]/.test(name) && !(name in contextValues))
    .map((name) => `"${name}" is none; there are ${Object.keys(contextValues).join(', ')}`);
}
