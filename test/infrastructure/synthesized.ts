/** The synthesized stack, without the functions' bundles. */
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

/** Returns a declaration with these values, and none of the others that a protected stage must name. */
export function declared(values: Values = {}): Values {
  return { ...Object.fromEntries(lastingValues.map((name) => [name, null])), ...values };
}

/**
 * @param stage the name of the stage and the values that it declares
 * @param overrides values from the command line
 */
export function synthesizeDeclared({ stage = 'dev', ...values }: Values, overrides: Values = {}) {
  const context = { ...cdkJson.context, stage, ...overrides, 'aws:cdk:bundling-stacks': [] };
  return testimonialsApp({ context }, () => declared(values));
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
    ...{ app, stack, template, json },
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
      ...{ action: `dynamodb:${action}`, resource: tableArnOf(json) },
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
