/** .github/workflows/deploy.yml: the order of its jobs, what they run, and what they may do. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { chapterOf } from '../operations-page.ts';

const text = readFileSync('.github/workflows/deploy.yml', 'utf8');
const [, ...parts] = text.slice(text.indexOf('\njobs:\n')).split(/^ {2}(?=\w+:$)/m);
const jobs = new Map(parts.map((part) => [part.slice(0, part.indexOf(':')), part]));
const settingOf = (job: string, name: string) =>
  new RegExp(`^ {4}${name}: (.*)$`, 'm').exec(jobs.get(job) ?? '')?.[1];

/** Lists the commands that a job runs. */
const commandsOf = (job: string) =>
  [...(jobs.get(job) ?? '').matchAll(/^ {6}- run: (?:\|\n)?((?:.*\n(?: {10}.*\n)*))/gm)].map(
    ([, command = '']) => command.trim(),
  );

const check = `$(node -p 'Object.values(require("./outputs.json"))[0].NextStep')`;

test('runs CI, deploys dev, shows the changes of prod, and deploys prod', () => {
  const order = [...jobs.keys()].map((job) => [job, settingOf(job, 'needs'), settingOf(job, 'environment')]);
  expect(order).toEqual([
    ['ci', undefined, undefined],
    ['dev', 'ci', 'dev'],
    ['changes', 'dev', 'prod-changes'],
    ['prod', 'changes', 'prod'],
  ]);
});

describe.each(['dev', 'prod'])('%s', (stage) => {
  test('is deployed by the stage’s command alone, and then checked', () => {
    expect(commandsOf(stage)).toEqual([
      '.ci/install',
      `npx cdk deploy -c stage=${stage} --require-approval never --outputs-file outputs.json`,
      check,
    ]);
  });
});

test('the reviewers of prod see what it would replace or remove, without a change', () => {
  const [, changes = ''] = commandsOf('changes');
  expect(changes).toContain('npx cdk diff -c stage=prod --method template --fail-on destructive');
  expect(changes).toContain('$GITHUB_STEP_SUMMARY');
});

test('gets credentials without a key, for the environment of its job, and does nothing until it is set up', () => {
  expect(settingOf('ci', 'if')).toBe("vars.AWS_REGION != ''");
  expect(text).not.toContain('secrets.');
  for (const job of ['dev', 'changes', 'prod']) {
    expect(jobs.get(job)).toContain('id-token: write');
    expect(jobs.get(job)).toMatch(/role-to-assume: \$\{\{ vars\.DEPLOY_ROLE \}\}/);
  }
  expect(jobs.get('ci')).not.toContain('id-token');
  const page = chapterOf('Deploy from GitHub');
  for (const name of ['DEPLOY_ROLE', 'AWS_REGION', 'OperatorWritePolicy', 'dev prod-changes prod'])
    expect(page).toContain(name);
});
