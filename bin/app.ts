/** The CDK app: `cdk synth`, `cdk deploy`. */
import { InvalidContext } from '../lib/infrastructure/context.ts';
import { testimonialsApp } from '../lib/infrastructure/testimonials-stack.ts';

try {
  testimonialsApp().app.synth();
} catch (error) {
  // Without a stack trace, so that the rule for the invalid value, or the name of the file, stands out.
  const isExpected = error instanceof InvalidContext || error instanceof SyntaxError;
  console.error(isExpected ? error.message : error);
  process.exitCode = 1;
}
