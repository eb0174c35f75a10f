import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { AwsSolutionsChecks } from 'cdk-nag';
import { everything, synthesizeWith } from '../infrastructure/synthesized.ts';

const contexts = [
  { stage: 'dev' },
  { stage: 'prod' },
  { stage: 'prod', ...everything },
  { ...everything, frontDoorClientCertificateArn: null },
  {
    ...{ stage: 'prod', ...everything },
    recoveredTable:
      'arn:aws:dynamodb:eu-central-1:123456789012:table/restored/stream/2026-11-22T03:11:02.622',
  },
];

/** Returns the stacks of a stage. */
const stacksOf = (values: Record<string, unknown>) => {
  const { app } = synthesizeWith(values);
  return { app, stacks: app.node.findAll().filter((node) => node instanceof Stack) };
};

test.each(contexts)('the stacks with %j satisfy AwsSolutions, except for acknowledged findings', (values) => {
  const { app, stacks } = stacksOf(values);
  for (const stack of stacks)
    expect(new AwsSolutionsChecks(app).validateScope(stack)).toEqual({ success: true, violations: [] });
});

test('the check finds a bucket without an access log', () => {
  const { app, stack } = synthesizeWith();
  new Bucket(stack, 'WithoutAccessLog');
  expect(new AwsSolutionsChecks(app).validateScope(stack).success).toBe(false);
});

/** True if the linter of CloudFormation, a Python package, is installed. */
const hasLinter = (() => {
  try {
    return execFileSync('cfn-lint', ['--version'], { stdio: 'pipe' }).length > 0;
  } catch {
    console.warn('cfn-lint is not installed: its test is skipped');
    return false;
  }
})();

const linted = contexts.slice(0, 3);
(hasLinter ? test.each(linted) : test.skip.each(linted))(
  'the templates with %j satisfy cfn-lint',
  (values) => {
    const folder = mkdtempSync(join(tmpdir(), 'cfn-lint-'));
    const files = stacksOf(values).stacks.map((stack) => {
      const file = join(folder, `${stack.stackName}.json`);
      writeFileSync(file, JSON.stringify(Template.fromStack(stack).toJSON()));
      return file;
    });
    try {
      // The CDK writes dependencies that a reference implies.
      execFileSync('cfn-lint', ['--ignore-checks', 'W3005', '--', ...files], {
        encoding: 'utf8',
        stdio: 'pipe',
      });
    } catch (error) {
      throw new Error(String(Object(error).stdout));
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
