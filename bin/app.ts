/** The CDK app: `cdk synth`, `cdk deploy`. */
import { InvalidContext } from '../lib/infrastructure/context.ts';
import { testimonialsApp } from '../lib/infrastructure/testimonials-stack.ts';

try {
  testimonialsApp().app.synth();
} catch (error) {
  // Who gave a wrong value reads its rule; a stack would bury it.
  console.error(error instanceof InvalidContext ? error.message : error);
  process.exitCode = 1;
}
