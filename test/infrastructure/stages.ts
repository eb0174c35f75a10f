/**
 * Declared stages: what a declaration must name, what the command line may change, and what a deployment
 * changes.
 */
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, jest, test } from '@jest/globals';
import { App } from 'aws-cdk-lib';
import fc from 'fast-check';
import cdkJson from '../../cdk.json' with { type: 'json' };
import {
  contextValues,
  lastingValues,
  readContext,
  readDeclaration,
  stageOf,
} from '../../lib/infrastructure/context.ts';
import { testimonialsApp } from '../../lib/infrastructure/testimonials-stack.ts';
import { warningsOf } from '../../lib/infrastructure/warnings.ts';
import { localContext } from '../../lib/local-runner/synthesized-app.ts';
import { chapterOf } from '../operations-page.ts';
import { declared, everything, recoveredTable, synthesizeWith, templatesOf } from './synthesized.ts';

type Values = Record<string, unknown>;

/** Reads a stage with values of the command line. */
const read = (stage: string, overrides: Values, declaration: Values | undefined) =>
  readContext(new App({ context: { stage, ...overrides } }).node, () => declaration);

describe('a stage', () => {
  test('needs a declaration, unless it is dev', () => {
    expect(() => read('prod', {}, undefined)).toThrow(
      'Stage prod has no file. Copy stages/example.json to stages/prod.json',
    );
    expect(() => read('prdo', { protect: false }, undefined)).toThrow(
      'Copy stages/example.json to stages/prdo',
    );
    expect(read('dev', {}, undefined).context).toMatchObject({ stage: 'dev' });
  });

  test.each(lastingValues)('that is protected must set %s, to null for none', (name) => {
    const { [name]: _, ...others } = declared();
    expect(() => read('prod', {}, others)).toThrow(
      `set "${name}" in stages/prod.json, to null if there is none`,
    );
    expect(read('dev', {}, others).overrides).toEqual([]);
    expect(read('test', {}, { ...others, protect: false }).overrides).toEqual([]);
  });

  test.each(lastingValues)('that is protected takes %s from its declaration only', (name) => {
    const overrides = { [name]: everything[name] ?? 'arn' };
    for (const declaration of [declared(), declared(everything)])
      expect(() => read('prod', overrides, declaration)).toThrow(
        `"${name}" can only be set in stages/prod.json`,
      );
    expect(() => read('dev', overrides, declared({ protect: true }))).toThrow(
      'can only be set in stages/dev.json',
    );
  });

  test('cannot be protected, or lose its protection, by the command line', () => {
    for (const protect of ['true', 'false']) {
      expect(() => read('prod', { protect }, declared())).toThrow(
        '"protect" can only be set in stages/prod.json',
      );
      expect(() => read('dev', { protect }, undefined)).toThrow(
        '"protect" can only be set in stages/dev.json',
      );
    }
  });

  test('has a declaration to copy, which is complete and valid', () => {
    const { context, overrides } = readContext(new App({ context: { stage: 'example' } }).node);
    expect(overrides).toEqual([]);
    expect(context).toMatchObject({ desk: true, pages: true, alarmEmail: 'ops@example.com' });
    expect(readDeclaration('no-such-stage')).toBeUndefined();
  });

  test('with a declaration that cannot be read is refused by the name of its file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'stages-'));
    writeFileSync(join(folder, 'prod.json'), '{ "desk": tru');
    // Jest reads JSON in another way than Node.js.
    const module = new URL('../../lib/infrastructure/context.ts', import.meta.url);
    const code = `import { readDeclaration } from '${module}'; readDeclaration('prod', '${folder}')`;
    const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
      encoding: 'utf8',
    });
    rmSync(folder, { recursive: true });
    expect(status).not.toBe(0);
    expect(stderr).toContain(join(folder, 'prod.json'));
  });
});

/** Any of the values that a trial may change. */
const trial = fc.record(
  {
    stageRate: fc.integer({ min: 1, max: 10_000 }),
    organizationBudget: fc.integer({ min: 0, max: 100 }),
    organizationRate: fc.integer({ min: 0, max: 1000 }),
    reservedConcurrency: fc.integer({ min: 1, max: 1000 }),
    maxReadRequestUnits: fc.integer({ min: 1, max: 100_000 }),
    leastRequestsAnHour: fc.integer({ min: 1, max: 1000 }),
    logRetentionDays: fc.constantFrom(1, 7, 365),
  },
  { requiredKeys: [] },
);

describe('a value of the command line', () => {
  test('replaces the declared one and no other, as the text that cdk passes on', () => {
    fc.assert(
      fc.property(trial, fc.subarray(Object.keys(everything)), (overrides, names) => {
        // Everything, as a value may need another.
        const values = names.length > 0 ? everything : {};
        const asTexts = Object.fromEntries(
          Object.entries(overrides).map(([name, value]) => [name, String(value)]),
        );
        const without = read('prod', {}, declared(values)).context;
        const { context, overrides: replaced } = read('prod', asTexts, declared(values));
        expect(context).toEqual({ ...without, ...overrides });
        expect(replaced).toEqual(Object.keys(overrides));
      }),
    );
  });
});

test('values of the command line, and what nobody watches, are reported on stderr', () => {
  const stderr = jest.spyOn(console, 'error').mockImplementation(() => {});
  const trial = { stageRate: '100', organizationBudget: '2', 'aws:cdk:bundling-stacks': [] };
  testimonialsApp({ context: { ...cdkJson.context, stage: 'prod', ...trial } }, () => declared()).app.synth();
  const reported = stderr.mock.calls.flat().join('\n');
  stderr.mockRestore();
  expect(reported).toContain('From -c, not from stages/prod.json: stageRate, organizationBudget.');
  expect(reported).toContain('alarmEmail is null: alarms only reach those who subscribe');
  const { metadata } = synthesizeWith({ stage: 'prod' }).stack.node;
  expect(JSON.stringify(metadata)).not.toContain('From -c');
});

const { domainName, certificateArn, closeDefaultEndpoint, truststoreUri } = everything;
const domain = { domainName, certificateArn, closeDefaultEndpoint, truststoreUri };
const alarmEmail = 'ops@testimonials.dev';

test.each<[string, Values, RegExp[]]>([
  ['alarms that reach nobody', {}, [/alarmEmail is null: alarms only reach those who subscribe/]],
  ['an address that nobody has', { alarmEmail: 'ops@example.com' }, [/alarmEmail is ops@example.com/]],
  ['an address below one that nobody has', { alarmEmail: 'a@b.example.org' }, [/alarmEmail is a@b/]],
  ['a truststore without a date', { alarmEmail, ...domain }, [/truststoreUri has no truststoreExpires/]],
  ['nothing that has a date', { alarmEmail, ...domain, truststoreExpires: '2028-11-30' }, []],
  ['no alarms in a stage that has few', { protect: false }, []],
])('a deployment warns of %s', (_, values, warnings) => {
  const { context } = read('prod', {}, declared(values));
  const texts = Object.values(warningsOf(context, stageOf(context)));
  expect(texts).toEqual(warnings.map((each) => expect.stringMatching(each)));
});

test('stage dev has a declaration, which the first deployment of README.md uses', () => {
  expect(readDeclaration('dev')).toEqual({ desk: true, pages: true, media: true });
  const { overrides } = readContext(new App({ context: { stage: 'dev' } }).node);
  expect(overrides).toEqual([]);
  expect(readFileSync('README.md', 'utf8')).toMatch(/^npx cdk deploy +# stage dev/m);
});

test('the local service has the values of a stage, but a table of its own', () => {
  const context = localContext({ stage: 'prod', stageRate: '10' });
  const declaration = declared({ recoveredTable, desk: true });
  const local = readContext(new App({ context }).node, () => declaration).context;
  expect(local).toMatchObject({ stage: 'prod', desk: true, stageRate: 10 });
  expect(local).not.toHaveProperty('recoveredTable');
  expect(read('prod', {}, declaration).context).toHaveProperty('recoveredTable', recoveredTable);
});

describe('the pages', () => {
  const pages = [
    'README.md',
    ...globSync('docs/**/*.md'),
    'CONTRIBUTING.md',
    ...globSync('examples/**/*.md'),
  ];
  const commands = pages.flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/cdk (?:deploy|import|diff|destroy)\b[^\n`#]*/g)].map(
      ([command]) => ({
        page,
        command: command.trim(),
        names: [...command.matchAll(/-c (\w+)=/g)].map(([, name = '']) => name),
      }),
    ),
  );

  test('deploy a stage by its name alone, or with a trial that it allows', () => {
    expect(commands.length).toBeGreaterThan(10);
    const lasting: readonly string[] = lastingValues;
    const forbidden = commands.filter(
      ({ names }) =>
        names.includes('stage') && names.some((name) => lasting.includes(name) || name === 'protect'),
    );
    expect(forbidden).toEqual([]);
    const unknown = commands.flatMap(({ names }) => names.filter((name) => !(name in contextValues)));
    expect(unknown).toEqual([]);
    for (const page of ['README.md', 'docs/operations.md', 'docs/recovery.md', 'docs/events.md'])
      expect(commands).toContainEqual({ page, command: 'cdk deploy -c stage=prod', names: ['stage'] });
  });

  test('name each value that a protected stage must set', () => {
    const [, names = ''] =
      /A protected stage \*\*must set\*\* ([^:]*), to `null`/.exec(chapterOf('Declare a stage')) ?? [];
    expect(names.match(/\w+(?=`)/g)).toEqual([...lastingValues]);
  });

  test('import the table by its id in the template', () => {
    const { id } = synthesizeWith({ stage: 'prod' }).one('DynamoDB::GlobalTable');
    expect(chapterOf('Delete a stage')).toContain(`{"${id}": {"TableName": "'$TABLE'"}}`);
  });
});

describe('a deployment', () => {
  test('has everything in three stacks', () => {
    expect(Object.keys(templatesOf(everything)).toSorted()).toEqual(
      ['', '-backup-copy', '-front-door'].map((suffix) => `testimonials-prod${suffix}`),
    );
    const untold = new Set(Object.keys(contextValues)).difference(new Set(Object.keys(everything)));
    expect([...untold]).toEqual([
      'stage',
      'protect',
      'stageRate',
      'organizationBudget',
      'organizationDailyBudget',
      'organizationRate',
      'recoveredTable',
    ]);
  });

  test('is asked about if it would replace, delete or orphan something', () => {
    expect(cdkJson.requireApproval).toBe('destructive');
  });
});
