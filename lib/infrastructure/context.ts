/** The context values of a deployment (`cdk deploy -c name=value`), and the properties of a stage that follow from them. */
import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Node } from 'constructs';
import * as v from 'valibot';

/** A number, or a text from `cdk -c`. */
function number(rule: string, isValid: (value: number) => boolean) {
  return v.pipe(
    v.union([v.string(), v.number()], rule),
    v.transform((value) => (String(value).trim() === '' ? Number.NaN : Number(value))),
    v.check(isValid, rule),
  );
}

const wholeFrom = (least: number) =>
  number(`must be a whole number from ${least}`, (value) => Number.isSafeInteger(value) && value >= least);

const requestsPerSecond = number(
  'must be requests a second, such as 250, or 0 for no limit',
  (value) => value >= 0,
);

const dollars = number('must be an amount in US dollars, such as 0.50, or 0 for none', (value) => value >= 0);

const matching = (form: RegExp, rule: string) => v.pipe(v.string(), v.regex(form, rule));

/** Returns the named groups of a text, or undefined if it has another form. */
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
    'must be a URL like https://www.example.com/hook, of at most 2,048 characters',
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

// Names its stage, because all stages read cdk.json.
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

/** The schema of every context value; docs/operations.md describes them. */
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
  organizationDailyBudget: v.optional(dollars, '10'),
  organizationRate: v.optional(requestsPerSecond),
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
  pages: v.optional(yesOrNo, 'false'),
  events: v.optional(yesOrNo, 'false'),
  newTestimonialEmail: v.optional(emailAddress),
  webhookUrl: v.optional(webhook),
  recoveredTable: v.optional(recoveredTable),
} as const;

const contextSchema = v.object(contextValues);

export type DeploymentContext = v.InferOutput<typeof contextSchema>;

/** The message names each invalid value and its rule. */
export class InvalidContext extends Error {}

/**
 * Reads the context values of an app.
 * @throws InvalidContext
 */
export function readContext(node: Node): DeploymentContext {
  const all = Object.entries<unknown>(node.getAllContext()).filter(([, value]) => value !== null);
  // Names with a colon or an at sign are the CDK's: flags and values that `cdk` looked up.
  const unknown = all.filter(([name]) => !/[:@]/.test(name) && !(name in contextValues));
  const { success, output, issues = [] } = v.safeParse(contextSchema, Object.fromEntries(all));
  const problems = [
    ...unknown.map(([name]) => `"${name}" is unknown; use one of ${Object.keys(contextValues).join(', ')}`),
    ...issues.map(
      ({ message, path: [at] = [undefined] }) => `"${at?.key}" ${message}, not ${JSON.stringify(at?.value)}`,
    ),
    ...missingValues(output as Partial<DeploymentContext>),
  ];
  if (!success || problems.length > 0)
    throw new InvalidContext(`Context values are not valid: ${problems.join('; ')}`);
  return output;
}

/** Lists the values that are missing although another value needs them. */
function missingValues(context: Partial<DeploymentContext>): string[] {
  const problems: string[] = [];
  if ((context.domainName === undefined) !== (context.certificateArn === undefined)) {
    problems.push('"domainName" and "certificateArn" must be given together');
  }
  if (context.monthlyBudget !== undefined && context.alarmEmail === undefined) {
    problems.push('"monthlyBudget" needs "alarmEmail": the address that receives the warning');
  }
  for (const name of ['newTestimonialEmail', 'webhookUrl'] as const) {
    if (context[name] !== undefined && !context.events)
      problems.push(`"${name}" needs "events": set events to true`);
  }
  return problems;
}

export type Stage = ReturnType<typeof stageOf>;

/** A protected stage retains its data; any other one deletes it with the stack. */
export function stageOf(context: DeploymentContext) {
  const { stage: name, protect: isProtected = name === 'prod', logRetentionDays, recoveredTable } = context;
  const isRecovered = recoveredTable?.stage === name;
  // The numbers of RetentionDays are days.
  const logRetention =
    logRetentionDays ?? (isProtected ? RetentionDays.THREE_MONTHS : RetentionDays.ONE_WEEK);
  return {
    name,
    /** The tags of everything that costs. Tags of the stack do not reach the table, whose replicas have their own. */
    tags: { service: 'testimonials', stage: name },
    /** For data when the stack or its resource is deleted. */
    removalPolicy: isProtected ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    /** A table restored from a backup, which replaces the stage's own. */
    recoveredTable: isRecovered ? recoveredTable : undefined,
    /** True for production: the table and the stack cannot be deleted, and all alarms and a dashboard watch the stage. */
    isProtected,
    /**
     * True if new versions of the API's functions roll out gradually. With a recovered table they cannot: the previous versions use
     * another table, which their roles may no longer read.
     */
    isGradual: isProtected && !isRecovered,
    /** Namespace of the stage's own metrics in CloudWatch. */
    metricsNamespace: `Testimonials/${name}`,
    logRetention,
    /** Longer than the 35 days in which a backup can bring erased testimonials back. */
    erasureLogRetention: Math.max(logRetention, RetentionDays.TWO_MONTHS),
  };
}
