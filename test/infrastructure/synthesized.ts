/** The synthesized stack, without the functions' bundles. */
import { Template } from 'aws-cdk-lib/assertions';
import cdkJson from '../../cdk.json' with { type: 'json' };
import { testimonialsApp } from '../../lib/infrastructure/testimonials-stack.ts';
import { policiesOf, tableArnOf } from '../iam/policies.ts';

// Validation takes half of the time; `npm run synth` does it.
process.env.CDK_VALIDATION = 'false';

/** The longest line of an API function in the log, in bytes. The monthly bill depends on it. */
export const lineBytes = 432;

export type Synthesized = ReturnType<typeof synthesize>;
type Resource = ReturnType<Template['findResources']>[string] & { id: string };

function synthesize(context: Record<string, unknown>) {
  const { app, stack } = testimonialsApp({
    context: { ...cdkJson.context, ...context, 'aws:cdk:bundling-stacks': [] },
  });
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

/** Returns the app with these context values, synthesized once. */
export function synthesizeWith(context: Record<string, unknown> = {}): Synthesized {
  const name = JSON.stringify(context);
  const found = made.get(name) ?? synthesize(context);
  made.set(name, found);
  return found;
}
