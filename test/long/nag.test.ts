import { expect, test } from '@jest/globals';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { AwsSolutionsChecks } from 'cdk-nag';
import { synthesizeWith } from '../infrastructure/synthesized.ts';

test.each(['dev', 'prod'])(
  'stage %s satisfies AwsSolutions, apart from what is acknowledged with a reason',
  (stage) => {
    const { app, stack } = synthesizeWith({ stage });
    expect(new AwsSolutionsChecks(app).validateScope(stack)).toEqual({ success: true, violations: [] });
  },
);

test('the check finds what is wrong', () => {
  const { app, stack } = synthesizeWith();
  new Bucket(stack, 'WithoutAccessLog');
  expect(new AwsSolutionsChecks(app).validateScope(stack).success).toBe(false);
});
