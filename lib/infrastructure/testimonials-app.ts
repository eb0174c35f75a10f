/** The CDK app, for `cdk` and for whoever else synthesizes it. */
import { App, type AppProps } from 'aws-cdk-lib';
import { stageOf } from './stage.ts';
import { TestimonialsStack } from './testimonials-stack.ts';

/** Builds the app with its one stack, `testimonials-<stage>`. */
export function testimonialsApp(props: AppProps = {}): { app: App; stack: TestimonialsStack } {
  const app = new App({
    analyticsReporting: false,
    ...props,
    // By this metadata, SAM and the local runner find the functions and their code.
    postCliContext: {
      'aws:cdk:enable-asset-metadata': true,
      'aws:cdk:enable-path-metadata': true,
      ...props.postCliContext,
    },
  });
  const { name } = stageOf(app.node);
  const stack = new TestimonialsStack(app, `testimonials-${name}`, {
    description: 'Testimonials API',
    tags: { service: 'testimonials', stage: name },
  });
  return { app, stack };
}
