/** The CDK app: `cdk synth`, `cdk deploy`. */
import { InvalidContext } from '../lib/infrastructure/context.ts';
import { testimonialsApp } from '../lib/infrastructure/testimonials-stack.ts';

try {
  testimonialsApp().app.synth();
} catch (error) {
  // Without a stack, so that the rule of the invalid value stands out.
  console.error(error instanceof InvalidContext ? error.message : error);
  process.exitCode = 1;
}
