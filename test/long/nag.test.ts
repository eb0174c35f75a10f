import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { AwsSolutionsChecks } from 'cdk-nag';
import {
  everything,
  onlyValue,
  recoveredTable,
  synthesizeDeclared,
  synthesizeWith,
  withoutValue,
} from '../infrastructure/synthesized.ts';
import { someOf } from '../some-of.ts';

const contexts = [
  { stage: 'dev' },
  { stage: 'prod' },
  { stage: 'prod', ...everything },
  { ...withoutValue('frontDoorClientCertificateArn'), backupRegion: null },
  { stage: 'prod', ...everything, recoveredTable },
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

const names = Object.keys(everything);

/**
 * Combinations of values in which each two of them are declared together, each without the other, and none of
 * both: the number of a value has a bit in which it differs from the other's.
 */
const halves = Array.from({ length: Math.ceil(Math.log2(names.length)) }, (_, bit) =>
  [0, 1].map((half) =>
    Object.assign({}, ...names.filter((_, i) => ((i >> bit) & 1) === half).map(onlyValue)),
  ),
).flat();
const combinations = [
  ...[{}, everything, ...halves].map((values) => ({ stage: 'prod', ...values })),
  { stage: 'prod', ...everything, recoveredTable },
  // Only a protected stage has backups.
  { stage: 'test', ...everything, protect: false, backupRegion: null },
];

(hasLinter ? test : test.skip)('the templates with each combination of two values satisfy cfn-lint', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cfn-lint-'));
  const templates = new Map<string, string>();
  for (const values of combinations) {
    const { app } = synthesizeDeclared(values);
    for (const stack of app.node.findAll().filter((node) => node instanceof Stack)) {
      const text = JSON.stringify(Template.fromStack(stack).toJSON());
      // Equal templates are read once.
      if (!templates.has(text))
        templates.set(text, join(folder, `${stack.stackName}-${templates.size}.json`));
    }
  }
  for (const [text, file] of templates) writeFileSync(file, text);
  expect(templates.size).toBeGreaterThan(20);
  try {
    // The CDK writes dependencies that a reference implies.
    execFileSync('cfn-lint', ['--ignore-checks', 'W3005', '--', ...someOf([...templates.values()])], {
      encoding: 'utf8',
      stdio: 'pipe',
      maxBuffer: 1 << 28,
    });
  } catch (error) {
    throw new Error(String(Object(error).stdout));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
