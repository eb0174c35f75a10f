/** The synthesized stack, without the functions' bundles. */
import { Annotations, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import cdkJson from '../../cdk.json' with { type: 'json' };
import { lastingValues } from '../../lib/infrastructure/context.ts';
import { testimonialsApp } from '../../lib/infrastructure/testimonials-stack.ts';
import { policiesOf, tableArnOf } from '../iam/policies.ts';

// Validation takes half of the time; `npm run synth` does it.
process.env.CDK_VALIDATION = 'false';

/** The longest line of an API function in the log, in bytes. The monthly bill depends on it. */
export const lineBytes = 432;

export type Synthesized = ReturnType<typeof synthesize>;
type Resource = ReturnType<Template['findResources']>[string] & { id: string };

type Values = Record<string, unknown>;

/** The functions of the API, in the order of the template. */
export const apiFunctions = [
  'ServeDesk',
  'ServePages',
  'CreateTestimonial',
  'ListTestimonials',
  'ModerateTestimonials',
];

const certificate = (region: string) => `arn:aws:acm:${region}:123456789012:certificate/ab-12`;

export const everything: Values = {
  alarmEmail: 'ops@example.com',
  monthlyBudget: 20,
  leastRequestsAnHour: 10,
  corsOrigins: 'https://www.example.com',
  domainName: 'api.example.com',
  certificateArn: certificate('eu-central-1'),
  closeDefaultEndpoint: true,
  truststoreUri: 's3://a-bucket/truststore.pem',
  truststoreVersion: 'L4kqtJlcpXroDTDmpUMLUo',
  truststoreExpires: '2028-11-30',
  frontDoorOrigin: 'd-abc123.execute-api.eu-central-1.amazonaws.com',
  frontDoorCertificateArn: certificate('us-east-1'),
  frontDoorClientCertificateArn: certificate('us-east-1'),
  warmThroughput: '30000,8000',
  maxReadRequestUnits: 40_000,
  maxWriteRequestUnits: 10_000,
  reservedConcurrency: 50,
  logRetentionDays: 30,
  moderation: true,
  desk: true,
  pages: true,
  media: true,
  events: true,
  newTestimonialEmail: 'moderators@example.com',
  webhookUrl: 'https://www.example.com/hook',
  backupRegion: 'eu-west-1',
};

/** The stream of a table that was restored from a backup. */
export const recoveredTable =
  'arn:aws:dynamodb:eu-central-1:123456789012:table/restored/stream/2026-11-22T03:11:02.622';

/** Values, and the others that need them. */
export const dependentsOf: Record<string, readonly string[]> = {
  domainName: ['certificateArn', 'closeDefaultEndpoint', 'frontDoorOrigin'],
  certificateArn: ['domainName'],
  closeDefaultEndpoint: ['truststoreUri'],
  truststoreUri: ['truststoreVersion', 'truststoreExpires'],
  frontDoorCertificateArn: ['frontDoorOrigin'],
  frontDoorOrigin: ['frontDoorClientCertificateArn'],
  pages: ['media'],
  events: ['newTestimonialEmail', 'webhookUrl', 'backupRegion'],
  alarmEmail: ['monthlyBudget'],
};

/** Returns all values but one, and those that need it. */
export function withoutValue(name: string): Values {
  const gone = new Set([name]);
  // A set grows while it is read.
  for (const each of gone) for (const other of dependentsOf[each] ?? []) gone.add(other);
  return Object.fromEntries(Object.entries(everything).filter(([each]) => !gone.has(each)));
}

/** Returns one value, and those that it needs. */
export function onlyValue(name: string): Values {
  const needed = new Set([name]);
  for (const each of needed)
    for (const [other, by] of Object.entries(dependentsOf)) if (by.includes(each)) needed.add(other);
  return Object.fromEntries(Object.entries(everything).filter(([each]) => needed.has(each)));
}

/** Returns a declaration with these values, and none of the others that a protected stage must name. */
export function declared(values: Values = {}): Values {
  return { ...Object.fromEntries(lastingValues.map((name) => [name, null])), ...values };
}

/** The CDK records where each token was made, which takes a sixth of the time. */
function withoutStackTraces<Result>(make: () => Result): Result {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/**
 * @param stage the name of the stage and the values that it declares
 * @param overrides values from the command line
 */
export function synthesizeDeclared({ stage = 'dev', ...values }: Values, overrides: Values = {}) {
  const context = { ...cdkJson.context, stage, ...overrides, 'aws:cdk:bundling-stacks': [] };
  const made = withoutStackTraces(() =>
    testimonialsApp({ context, treeMetadata: false }, () => declared(values)),
  );
  // The addresses of tests are examples.
  for (const part of ['alarms', 'truststore'])
    Annotations.of(made.stack).acknowledgeWarning(`testimonials:${part}`);
  return made;
}

/** Reads the template of a stack in another region. */
export function otherTemplate(values: Values, name: 'front-door' | 'backup-copy'): Template {
  const stack = synthesizeWith(values).app.node.findChild('OtherRegions').node.findChild(name);
  return Template.fromStack(stack as Stack); // these names are of stacks
}

/** A resource with the parts by which data are kept or lost. */
interface KeptResource {
  Type: string;
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
  Properties?: Values;
}

/** Returns the resources of a stage in all its regions, by the names of their stacks. */
export function templatesOf(values: Values): Record<string, Record<string, KeptResource>> {
  const { app } = synthesizeWith({ stage: 'prod', ...values });
  const stacks = app.node.findAll().filter((node) => node instanceof Stack);
  return Object.fromEntries(
    stacks.map((stack) => [stack.stackName, Template.fromStack(stack).toJSON().Resources]),
  );
}

function synthesize(values: Values) {
  const { app, stack } = synthesizeDeclared(values);
  const template = Template.fromStack(stack);
  const json = template.toJSON() as { Resources: Record<string, unknown> }; // as CloudFormation has it
  const all = (type: string, beginning = ''): Resource[] =>
    Object.entries(template.findResources(`AWS::${type}`))
      .map(([id, resource]) => ({ ...resource, id }))
      .filter(({ id }) => id.startsWith(beginning));
  return {
    app,
    stack,
    template,
    json,
    /** Lists the resources of a type, such as `Lambda::Alias`, by the beginning of their ids. */
    all,
    /** Returns the first of them. The id of a resource begins with the id of its construct. */
    one(type: string, beginning = ''): Resource {
      const [found] = all(type, beginning);
      if (!found) throw new Error(`There is no ${type} ${beginning}`);
      return found;
    },
    policyOf: (name: string) => policiesOf(json).get(name) ?? [],
    /** Returns the IAM request of a call to the table. */
    requestOf: (action: string, ...partitions: string[]) => ({
      action: `dynamodb:${action}`,
      resource: tableArnOf(json),
      context: { 'dynamodb:LeadingKeys': partitions },
    }),
  };
}

const made = new Map<string, Synthesized>();

/** Returns the app of a stage with these values, synthesized once. */
export function synthesizeWith(values: Values = {}): Synthesized {
  const name = JSON.stringify(values);
  const found = made.get(name) ?? synthesize(values);
  made.set(name, found);
  return found;
}
