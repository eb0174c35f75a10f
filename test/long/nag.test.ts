import { expect, test } from '@jest/globals';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { AwsSolutionsChecks } from 'cdk-nag';
import { synthesizeWith } from '../infrastructure/synthesized.ts';

const withEvents = {
  events: true,
  newTestimonialEmail: 'a@example.com',
  webhookUrl: 'https://www.example.com',
};

test.each([
  { stage: 'dev' },
  { stage: 'prod' },
  { stage: 'prod', moderation: true, desk: true, pages: true, ...withEvents },
])('the stack with %j satisfies AwsSolutions, except for acknowledged findings', (context) => {
  const { app, stack } = synthesizeWith(context);
  expect(new AwsSolutionsChecks(app).validateScope(stack)).toEqual({ success: true, violations: [] });
});

test('the check finds a bucket without an access log', () => {
  const { app, stack } = synthesizeWith();
  new Bucket(stack, 'WithoutAccessLog');
  expect(new AwsSolutionsChecks(app).validateScope(stack).success).toBe(false);
});
