/** The stack as CDK synthesizes it, without bundling the functions: their code is not what these suites check. */
import { Template } from 'aws-cdk-lib/assertions';
import { cdkJsonContext } from '../../lib/infrastructure/cdk-json.ts';
import { testimonialsApp } from '../../lib/infrastructure/testimonials-app.ts';

/** Synthesizes the app with these context values. */
export function synthesizeWith(context: Record<string, unknown> = {}) {
  const { app, stack } = testimonialsApp({
    context: { ...cdkJsonContext(), ...context, 'aws:cdk:bundling-stacks': [] },
  });
  return { app, stack, template: Template.fromStack(stack) };
}
