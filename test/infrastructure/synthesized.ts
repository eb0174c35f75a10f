/** The stack as CDK synthesizes it, without bundling the functions: their code is not what these suites check. */
import { Template } from 'aws-cdk-lib/assertions';
import { testimonialsApp } from '../../lib/infrastructure/testimonials-app.ts';
import { cdkJsonContext } from '../../lib/local-runner/synthesized-app.ts';

// It takes half of the time, and is done by `npm run synth`.
process.env.CDK_VALIDATION = 'false';

function synthesize(context: Record<string, unknown>) {
  const { app, stack } = testimonialsApp({
    context: { ...cdkJsonContext(), ...context, 'aws:cdk:bundling-stacks': [] },
  });
  return { app, stack, template: Template.fromStack(stack) };
}

const made = new Map<string, ReturnType<typeof synthesize>>();

/** The app with these context values, made once. */
export function synthesizeWith(context: Record<string, unknown> = {}) {
  const name = JSON.stringify(context);
  const found = made.get(name) ?? synthesize(context);
  made.set(name, found);
  return found;
}
