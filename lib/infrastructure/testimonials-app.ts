/** The CDK app, for `cdk` and for whoever else synthesizes it. */
import { App, type AppProps } from 'aws-cdk-lib';
import { contextOf } from './context.ts';
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
  return { app, stack: new TestimonialsStack(app, contextOf(app.node)) };
}
