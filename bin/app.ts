/** The CDK app: `cdk synth`, `cdk deploy`. */
import { testimonialsApp } from '../lib/testimonials-app.ts';

testimonialsApp().app.synth();
