/** The stack as CDK synthesizes it, without bundling the functions: their code is not what these suites check. */
import { Template } from 'aws-cdk-lib/assertions';
import { testimonialsApp } from '../../lib/infrastructure/testimonials-stack.ts';
import { cdkJsonContext } from '../../lib/local-runner/synthesized-app.ts';
import { policiesOf, tableArnOf } from '../iam/policies.ts';

// It takes half of the time, and is done by `npm run synth`.
process.env.CDK_VALIDATION = 'false';

export type Synthesized = ReturnType<typeof synthesize>;
type Resource = ReturnType<Template['findResources']>[string] & { id: string };

function synthesize(context: Record<string, unknown>) {
  const { app, stack } = testimonialsApp({
    context: { ...cdkJsonContext(), ...context, 'aws:cdk:bundling-stacks': [] },
  });
  const template = Template.fromStack(stack);
  const json = template.toJSON() as { Resources: Record<string, unknown> }; // as CloudFormation has it
  const all = (type: string, beginning = ''): Resource[] =>
    Object.entries(template.findResources(`AWS::${type}`))
      .map(([id, resource]) => ({ ...resource, id }))
      .filter(({ id }) => id.startsWith(beginning));
  return {
    ...{ app, stack, template, json },
    /** The resources of a type, as `Lambda::Alias`, whose ids begin so. */
    all,
    /** The first of them; the construct of a resource gives its id its beginning. */
    one(type: string, beginning = ''): Resource {
      const [found] = all(type, beginning);
      if (!found) throw new Error(`There is no ${type} ${beginning}`);
      return found;
    },
    policyOf: (name: string) => policiesOf(json).get(name) ?? [],
    /** What IAM is asked for a call to the table. */
    requestOf: (action: string, ...partitions: string[]) => ({
      ...{ action: `dynamodb:${action}`, resource: tableArnOf(json) },
      context: { 'dynamodb:LeadingKeys': partitions },
    }),
  };
}

const made = new Map<string, Synthesized>();

/** The app with these context values, made once. */
export function synthesizeWith(context: Record<string, unknown> = {}): Synthesized {
  const name = JSON.stringify(context);
  const found = made.get(name) ?? synthesize(context);
  made.set(name, found);
  return found;
}
