/**
 * The values of a stage, from its declaration in `stages/` and from `cdk deploy -c name=value`, and the
 * properties derived from them.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
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
  'must be a number of requests per second, such as 250, or 0 for no limit',
  (value) => value >= 0,
);

const dollars = number('must be an amount in US dollars, such as 0.50, or 0 for none', (value) => value >= 0);

const matching = (form: RegExp, rule: string) => v.pipe(v.string(rule), v.regex(form, rule));

const yesOrNo = v.pipe(
  v.union([v.boolean(), v.picklist(['true', 'false'])], 'must be true or false'),
  v.transform((value) => String(value) === 'true'),
);

const originsRule = 'must be origins like https://www.example.com, separated by commas';
const origins = v.pipe(
  v.string(originsRule),
  v.transform((value) => value.split(/[\s,]+/).filter(Boolean)),
  v.everyItem(
    (origin) => origin === '*' || (URL.canParse(origin) && new URL(origin).origin === origin),
    originsRule,
  ),
);

const dateRule = 'must be a date like 2027-11-30';

const emailAddress = matching(/^[^@\s]+@[^@\s]+$/, 'must be an e-mail address');

const webhook = matching(
  /^https:\/\/[^\s*]{1,2040}$/i,
  'must be a URL like https://www.example.com/hook, of at most 2,048 characters',
);

const retentionDays = Object.values(RetentionDays).filter(
  (days) => typeof days === 'number' && days !== RetentionDays.INFINITE,
);

const throughput = v.pipe(
  matching(/^\d+,\d+$/, 'must be read and write units a second, such as 30000,8000'),
  v.transform((value) => value.split(',').map(Number)),
  v.check(([reads = 0, writes = 0]) => reads >= 12_000 && writes >= 4000, 'must be 12000,4000 or more'),
  v.transform(([reads = 0, writes = 0]) => ({ reads, writes })),
);

const tableStream = matching(
  /^arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:\d{12}:table\/[\w.-]{3,255}\/stream\/[\d:T.-]+$/,
  'must be the ARN of a table’s stream, such as arn:aws:dynamodb:…/stream/…',
);

const domain = matching(
  /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
  'must be a domain name like api.example.com',
);

const certificate = matching(
  /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/.+$/,
  'must be the ARN of a certificate',
);

/** The schema of every value. docs/operations.md describes them. */
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
  leastRequestsAnHour: v.optional(wholeFrom(1)),
  domainName: v.optional(domain),
  certificateArn: v.optional(certificate),
  closeDefaultEndpoint: v.optional(yesOrNo, 'false'),
  truststoreUri: v.optional(
    matching(/^s3:\/\/[a-z0-9.-]+\/./, 'must be a file in S3, such as s3://a-bucket/truststore.pem'),
  ),
  truststoreVersion: v.optional(matching(/^\S{1,1024}$/, 'must be the version of a file in S3')),
  truststoreExpires: v.optional(v.pipe(v.string(dateRule), v.isoDate(dateRule))),
  frontDoorOrigin: v.optional(domain),
  frontDoorCertificateArn: v.optional(certificate),
  frontDoorClientCertificateArn: v.optional(certificate),
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
  media: v.optional(yesOrNo, 'false'),
  events: v.optional(yesOrNo, 'false'),
  newTestimonialEmail: v.optional(emailAddress),
  webhookUrl: v.optional(webhook),
  backupRegion: v.optional(matching(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be a region like eu-west-1')),
  recoveredTable: v.optional(tableStream),
} as const;

const contextSchema = v.object(contextValues);

export type DeploymentContext = v.InferOutput<typeof contextSchema>;

/**
 * Values whose removal deletes data, breaks a URL or stops e-mails. A protected stage must declare each of
 * them; `-c` cannot set them.
 */
export const lastingValues = [
  'recoveredTable',
  'backupRegion',
  'domainName',
  'closeDefaultEndpoint',
  'frontDoorOrigin',
  'moderation',
  'desk',
  'pages',
  'media',
  'events',
  'webhookUrl',
  'newTestimonialEmail',
  'alarmEmail',
] as const satisfies (keyof DeploymentContext)[];

type NeededValue = [name: keyof DeploymentContext, other: keyof DeploymentContext, use?: string];

/**
 * Values, and the other values that they need. A truststore alone would leave the URL that AWS assigned open
 * to everyone.
 */
const needs = [
  ['domainName', 'certificateArn'],
  ['certificateArn', 'domainName'],
  ['closeDefaultEndpoint', 'domainName'],
  ['truststoreUri', 'closeDefaultEndpoint'],
  ['truststoreVersion', 'truststoreUri'],
  ['truststoreExpires', 'truststoreUri'],
  ['frontDoorOrigin', 'domainName'],
  ['frontDoorOrigin', 'frontDoorCertificateArn'],
  ['frontDoorClientCertificateArn', 'frontDoorOrigin'],
  ['monthlyBudget', 'alarmEmail', 'the address that receives the warning'],
  ['newTestimonialEmail', 'events'],
  ['webhookUrl', 'events'],
  ['backupRegion', 'events'],
  ['media', 'pages'],
] as const satisfies NeededValue[];

/** The message names each invalid value and its rule. */
export class InvalidContext extends Error {}

type Values = Record<string, unknown>;

/**
 * Reads `stages/<stage>.json`. Returns undefined if the file does not exist.
 * @throws an error that names the file if it is not JSON
 */
export function readDeclaration(stage: string, folder = '../../stages'): Values | undefined {
  const file = resolve(import.meta.dirname, folder, `${stage}.json`);
  return existsSync(file) ? createRequire(file)(file) : undefined;
}

/**
 * Reads the values of a stage: its declared values, replaced by values of the app's context (`-c`).
 * @returns the values, and the names of the replaced values
 * @throws {InvalidContext} if a value is invalid
 */
export function readContext(node: Node, declarationOf = readDeclaration) {
  // Names with a colon or an at sign belong to the CDK: flags, and values that `cdk` looked up.
  const given = Object.entries<unknown>(node.getAllContext()).filter(([name]) => !/[:@]/.test(name));
  const { stage = 'dev', ...replaced }: Values = Object.fromEntries(given);
  const hasName = v.is(contextValues.stage, stage);
  const declared = hasName ? declarationOf(String(stage)) : undefined;
  if (hasName && !declared && stage !== 'dev')
    throw new InvalidContext(
      `Stage ${stage} has no file. Copy stages/example.json to stages/${stage}.json, and set its values.`,
    );
  const overrides = Object.keys(replaced).filter((name) => replaced[name] !== null);
  const values = Object.entries({ ...declared, ...replaced, stage }).filter(([, value]) => value !== null);
  const { success, output, issues = [] } = v.safeParse(contextSchema, Object.fromEntries(values));
  const context = output as Partial<DeploymentContext>; // incomplete without success
  const problems = [
    ...unknownNames(values.map(([name]) => name)),
    ...issues.map(
      ({ message, path: [at] = [undefined] }) => `"${at?.key}" ${message}, not ${JSON.stringify(at?.value)}`,
    ),
    ...needs
      .filter(([name, other]) => context[name] && !context[other])
      .map(([name, other, use]) => `"${name}" needs "${other}"${use === undefined ? '' : `: ${use}`}`),
    ...(context.backupRegion && !isProtected({ stage: String(stage), protect: context.protect })
      ? ['"backupRegion" needs a protected stage: a stage that is not protected is deleted with its data']
      : []),
    ...(hasName ? undeclared(String(stage), declared, overrides) : []),
  ];
  if (!success || problems.length > 0)
    throw new InvalidContext(`The values of stage ${stage} are not valid:\n  ${problems.join('\n  ')}`);
  return { context: output, overrides };
}

/** Returns the problem with names that no value has, if there are any. */
function unknownNames(names: readonly string[]): string[] {
  const known = Object.keys(contextValues);
  const unknown = names.filter((name) => !known.includes(name)).map((name) => `"${name}"`);
  if (unknown.length === 0) return [];
  const verb = unknown.length === 1 ? 'is' : 'are';
  return [`${unknown.join(', ')} ${verb} unknown; use one of ${known.join(', ')}`];
}

/** Returns the values that only the declaration of a stage may set, and the values that it lacks. */
function undeclared(stage: string, declared: Values | undefined, overrides: readonly string[]): string[] {
  const file = `stages/${stage}.json`;
  const { protect, ...others } = declared ?? {};
  const lasting: readonly string[] = isProtected({ stage, protect }) ? lastingValues : [];
  const fixed = overrides.filter((name) => name === 'protect' || lasting.includes(name));
  const missing = lasting.filter((name) => !(name in others));
  return [
    ...fixed.map((name) => `"${name}" can only be set in ${file}`),
    ...missing.map((name) => `set "${name}" in ${file}, to null if there is none`),
  ];
}

/** Every stage is protected, except dev and stages that declare `"protect": false`. */
const isProtected = ({ stage, protect }: { stage: string; protect?: unknown }) =>
  String(protect ?? stage !== 'dev') === 'true';

export type Stage = ReturnType<typeof stageOf>;

/** A protected stage retains its data; any other one deletes it with the stack. */
export function stageOf(context: DeploymentContext) {
  const { stage: name, logRetentionDays, recoveredTable: tableStreamArn } = context;
  const isKept = isProtected(context);
  // The enum values of RetentionDays are numbers of days.
  const logRetention = logRetentionDays ?? (isKept ? RetentionDays.THREE_MONTHS : RetentionDays.ONE_WEEK);
  return {
    name,
    /**
     * The tags of all resources with costs. Tags of the stack do not reach the table, whose replicas have
     * their own tags.
     */
    tags: { service: 'testimonials', stage: name },
    /**
     * For resources with data, when the stack or the resource is deleted. A first deployment that fails
     * leaves only the table, which has deletion protection.
     */
    removalPolicy: isKept ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    /** A table restored from a backup, which replaces the stage's own table. */
    recoveredTable: tableStreamArn && { tableName: String(tableStreamArn.split('/')[1]), tableStreamArn },
    /**
     * True for production: the table and the stack cannot be deleted, and all alarms and a dashboard watch
     * the stage.
     */
    isProtected: isKept,
    /**
     * True if new versions of the API's functions roll out gradually. With a recovered table they cannot,
     * because the previous versions use another table, which their roles may no longer read.
     */
    isGradual: isKept && tableStreamArn === undefined,
    /** Namespace of the stage's own metrics in CloudWatch. */
    metricsNamespace: `Testimonials/${name}`,
    logRetention,
    /** Longer than the 35 days in which a backup can bring erased testimonials back. */
    erasureLogRetention: Math.max(logRetention, RetentionDays.TWO_MONTHS),
  };
}
