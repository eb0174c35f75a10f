/** The CDK app: `cdk synth`, `cdk deploy`. */
import { testimonialsApp } from '../lib/infrastructure/testimonials-app.ts';

testimonialsApp().app.synth();
