/** The context values that a deployment takes (`cdk deploy -c name=value`): their rules, defaults and meaning. */
import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Node } from 'constructs';
import * as v from 'valibot';

/** A number, which cdk.json has as such and `cdk` passes as a text. */
function number(rule: string, isValid: (value: number) => boolean) {
  return v.pipe(
    v.union([v.string(), v.number()], rule),
    v.transform((value) => (String(value).trim() === '' ? Number.NaN : Number(value))),
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

const matching = (form: RegExp, rule: string) => v.pipe(v.string(), v.regex(form, rule));

/** The named parts of a text; of one that has another form, nothing. */
const partsOf = (form: RegExp) => v.transform((value: string): unknown => form.exec(value)?.groups);

const yesOrNo = v.pipe(
  v.union([v.boolean(), v.picklist(['true', 'false'])], 'must be true or false'),
  v.transform((value) => String(value) === 'true'),
);

const origins = v.pipe(
  v.string(),
  v.transform((value) => value.split(/[\s,]+/).filter(Boolean)),
  v.everyItem(
    (origin) => origin === '*' || (URL.canParse(origin) && new URL(origin).origin === origin),
    'must be origins like https://www.example.com, separated by commas',
  ),
);

const emailAddress = matching(/^[^@\s]+@[^@\s]+$/, 'must be an e-mail address');

const webhook = v.pipe(
  v.string(),
  v.check(
    (value) => /^https:[^*]{1,2042}$/i.test(value) && URL.canParse(value),
    'must be an address like https://www.example.com/hook, of at most 2,048 characters',
  ),
);

const retentionDays = Object.values(RetentionDays).filter(
  (days) => typeof days === 'number' && days !== RetentionDays.INFINITE,
);

const units = v.pipe(v.string(), v.transform(Number));

const throughput = v.pipe(
  v.string(),
  partsOf(/^(?<reads>\d+),(?<writes>\d+)$/),
  v.object({ reads: units, writes: units }, 'must be read and write units a second, such as 30000,8000'),
  v.check(({ reads, writes }) => reads >= 12_000 && writes >= 4000, 'must be 12000,4000 or more'),
);

// With its stage: it stands in cdk.json, which all stages read. The ARN names region, account, table and stream.
const recovered =
  /^(?<stage>[a-z][a-z0-9-]{0,19})=(?<tableStreamArn>arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:\d{12}:table\/(?<tableName>[\w.-]{3,255})\/stream\/[\d:T.-]+)$/;

const recoveredTable = v.pipe(
  v.string(),
  partsOf(recovered),
  v.object(
    { stage: v.string(), tableName: v.string(), tableStreamArn: v.string() },
    'must be a stage and the ARN of a table’s stream, such as prod=arn:aws:dynamodb:…/stream/…',
  ),
);

/** The schema of every context value; `cdk` passes texts, cdk.json anything. docs/operations.md says what each does. */
export const contextValues = {
  stage: v.optional(
    matching(/^[a-z][a-z0-9-]{0,19}$/, 'must be 1 to 20 of a-z, 0-9 and -, beginning with a letter'),
    'dev',
  ),
  protect: v.optional(yesOrNo),
  corsOrigins: v.optional(origins, ''),
  alarmEmail: v.optional(emailAddress),
  stageRate: v.optional(wholeFrom(1), '5000'),
  organizationBudget: v.optional(dollars, '0.50'),
  organizationRate: v.optional(requestsASecond),
  monthlyBudget: v.optional(dollars),
  domainName: v.optional(
    matching(
      /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
      'must be a domain name like api.example.com',
    ),
  ),
  certificateArn: v.optional(
    matching(/^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/.+$/, 'must be the ARN of a certificate'),
  ),
  warmThroughput: v.optional(throughput),
  maxReadRequestUnits: v.optional(wholeFrom(1)),
  maxWriteRequestUnits: v.optional(wholeFrom(1)),
  reservedConcurrency: v.optional(wholeFrom(1)),
  logRetentionDays: v.optional(
    number(`must be one of ${retentionDays.join(', ')}`, (value) => retentionDays.includes(value)),
  ),
  moderation: v.optional(yesOrNo, 'false'),
  desk: v.optional(yesOrNo, 'false'),
  events: v.optional(yesOrNo, 'false'),
  newTestimonialEmail: v.optional(emailAddress),
  webhookUrl: v.optional(webhook),
  recoveredTable: v.optional(recoveredTable),
} as const;

const contextSchema = v.object(contextValues);

/** What whoever deploys has asked for. */
export type DeploymentContext = v.InferOutput<typeof contextSchema>;

/** Says which context values are not valid, each with its rule. */
export class InvalidContext extends Error {}

/**
 * Reads the context values of an app.
 * @throws InvalidContext
 */
export function contextOf(node: Node): DeploymentContext {
  const all = Object.entries<unknown>(node.getAllContext()).filter(([, value]) => value !== null);
  // What is not ours has a colon or an at sign in its name: flags of the CDK, what `cdk` looked up.
  const unknown = all.filter(([name]) => !/[:@]/.test(name) && !(name in contextValues));
  const { success, output, issues = [] } = v.safeParse(contextSchema, Object.fromEntries(all));
  const problems = [
    ...unknown.map(([name]) => `"${name}" is none; there are ${Object.keys(contextValues).join(', ')}`),
    ...issues.map(
      ({ message, path: [at] = [undefined] }) => `"${at?.key}" ${message}, not ${JSON.stringify(at?.value)}`,
    ),
    // Also where another value is not valid.
    ...missingBeside(output as Partial<DeploymentContext>),
  ];
  if (!success || problems.length > 0)
    throw new InvalidContext(`Context values are not valid: ${problems.join('; ')}`);
  return output;
}

/** What is missing beside a value that needs another. */
function missingBeside(context: Partial<DeploymentContext>): string[] {
  const problems: string[] = [];
  if ((context.domainName === undefined) !== (context.certificateArn === undefined)) {
    problems.push('"domainName" and "certificateArn" must be given together');
  }
  if (context.monthlyBudget !== undefined && context.alarmEmail === undefined) {
    problems.push('"monthlyBudget" needs "alarmEmail", whom it is told to');
  }
  for (const name of ['newTestimonialEmail', 'webhookUrl'] as const) {
    if (context[name] !== undefined && !context.events)
      problems.push(`"${name}" needs "events", which it is made of`);
  }
  return problems;
}

export type Stage = ReturnType<typeof stageOf>;

/** What follows from the context: a stage that is protected retains its data; every other one cleans up after itself. */
export function stageOf(context: DeploymentContext) {
  const { stage: name, protect: isProtected = name === 'prod', logRetentionDays, recoveredTable } = context;
  const isRecovered = recoveredTable?.stage === name;
  // The numbers of RetentionDays are days.
  const logRetention =
    logRetentionDays ?? (isProtected ? RetentionDays.THREE_MONTHS : RetentionDays.ONE_WEEK);
  return {
    name,
    /** What all that costs is told apart by: the stack has them, and the table, whose replicas have their own. */
    tags: { service: 'testimonials', stage: name },
    /** What happens to data when the stack, or the resource in it, is deleted. */
    removalPolicy: isProtected ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    /** A table that was restored from a backup, in the place of the stage's own. */
    recoveredTable: isRecovered ? recoveredTable : undefined,
    /** Production: against deletion of the table and of the stack; with all alarms and a dashboard. */
    isProtected,
    /**
     * Whether a new version of a function of the API takes its requests over little by little: versions before a recovery have
     * another table, which their roles may no longer read.
     */
    isShifted: isProtected && !isRecovered,
    /** Where CloudWatch keeps the functions' own metrics: stages that share an account have their own. */
    metricsNamespace: `Testimonials/${name}`,
    logRetention,
    /** The log that names erased testimonials is kept longer than a backup brings them back, 35 days. */
    erasureLogRetention: Math.max(logRetention, RetentionDays.TWO_MONTHS),
  };
}
