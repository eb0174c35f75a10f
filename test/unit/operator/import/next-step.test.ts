/** What an import does next, for each situation that it can be in. */
import { describe, expect, test } from '@jest/globals';
import { givenUp, type ImportJob } from '../../../../lib/operator/import/import-job.ts';
import { nextStep, type Situation } from '../../../../lib/operator/import/next-step.ts';

const empty = { isEmpty: true, isLoading: false, isBegunElsewhere: false, lacking: 0 };
const filled = { ...empty, isEmpty: false };
const doubts = {
  repeated: { there: 3, looked: 20 },
  besideUnended: false,
  hasRefused: false,
  hasLost: false,
};
const always = { count: 5, time: '2026-01-01T00:00:00.000Z', revision: 1 };
const begun: ImportJob = { ...always, step: 'begun' };
const first = {
  ...always,
  step: 'storing',
  isPlaced: true,
  number: 1,
  rules: { areDated: false },
} satisfies ImportJob;
const beside = { ...always, step: 'storing', isPlaced: false, blocks: [] } satisfies ImportJob;

const situation = (changes: Partial<Situation> = {}): Situation => ({
  job: undefined,
  file: { count: 5, isOfPast: false },
  surroundings: empty,
  dryRun: false,
  isAgreed: false,
  ...changes,
});
const history = { file: { count: 5, isOfPast: true } };
const refuse = (why: string) => ({ kind: 'refuse', why });

describe('an import that nobody began', () => {
  test.each<[string, Partial<Situation>, object]>([
    ['begins', {}, { kind: 'begin' }],
    ['begins with its history in an empty organization', history, { kind: 'begin' }],
    [
      'refuses lines that find no place',
      { ...history, surroundings: { ...filled, lacking: 2 } },
      refuse('no places'),
    ],
    ['waits for another load', { surroundings: { ...filled, isLoading: true } }, refuse('other load')],
    [
      'waits for another run of its own',
      { surroundings: { ...filled, isLoading: true, isBegunElsewhere: true } },
      refuse('same file'),
    ],
    ['asks where there are doubts', { surroundings: { ...filled, doubts } }, { kind: 'ask', doubts }],
    [
      'begins once these are agreed to',
      { surroundings: { ...filled, doubts }, isAgreed: true },
      { kind: 'begin' },
    ],
    [
      'asks nothing and does nothing as a dry run',
      { surroundings: { ...filled, doubts }, dryRun: true },
      { kind: 'end' },
    ],
    [
      'refuses as a dry run what it would refuse',
      { ...history, surroundings: { ...filled, lacking: 2 }, dryRun: true },
      refuse('no places'),
    ],
    ['does nothing without a good line', { file: { count: 0, isOfPast: false } }, { kind: 'end' }],
  ])('%s', (_, changes, next) => {
    expect(nextStep(situation(changes))).toEqual(next);
  });
});

describe('one that was begun', () => {
  test.each<[string, Partial<Situation>, object]>([
    ['takes places in an empty organization', { job: begun }, { kind: 'place', job: begun }],
    ['stores behind what is there', { job: begun, surroundings: filled }, { kind: 'append', job: begun }],
    [
      'takes places of the past before what is there',
      { ...history, job: begun, surroundings: filled },
      { kind: 'place', job: begun },
    ],
    [
      'goes on with as many lines as are good by now, before it has places',
      { job: { ...begun, count: 4 } },
      { kind: 'place', job: { ...begun, count: 4 } },
    ],
    ['goes on storing', { job: first, surroundings: filled }, { kind: 'store', job: first }],
    [
      'goes on with its history, whatever is there by now',
      { ...history, job: first, surroundings: filled },
      { kind: 'store', job: first },
    ],
    ['goes on beside what is there', { job: beside, surroundings: filled }, { kind: 'store', job: beside }],
    [
      'is indexed when all is stored',
      { job: { ...first, step: 'stored' } },
      { kind: 'index', job: { ...first, step: 'stored' } },
    ],
    [
      'has nothing left to do',
      { job: { ...always, step: 'ended', isPlaced: true, number: 1, rules: { areDated: false } } },
      { kind: 'end' },
    ],
    ['is not gone on with when it was given up', { job: givenUp(beside) }, { kind: 'end' }],
    ['writes nothing as a dry run', { job: first, dryRun: true }, { kind: 'end' }],
    ['is let alone while it is undone', { job: { ...first, step: 'undoing' } }, refuse('undone')],
    [
      'is let alone as a dry run, too, and once it is undone',
      { job: { ...beside, step: 'undone' }, dryRun: true },
      refuse('undone'),
    ],
    ['is not mixed with other lines', { job: { ...first, count: 4 } }, refuse('other version')],
  ])('%s', (_, changes, next) => {
    expect(nextStep(situation(changes))).toEqual(next);
  });
});
