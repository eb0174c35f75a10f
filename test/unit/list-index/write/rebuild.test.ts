/** What comes next of a rebuild, as a value. */
import { expect, test } from '@jest/globals';
import { noIndex, type Rebuild } from '../../../../functions/list-index/index-store.ts';
import { termsVersion } from '../../../../functions/list-index/terms-version.ts';
import { nextOfRebuild } from '../../../../functions/list-index/write/rebuild.ts';
import { rebuildGivenUpMs } from '../../../../functions/timing.ts';
import { otherTerms } from '../../../world/world.ts';

const now = 1_000_000;
const head = { ...noIndex, revision: 3, generation: 6, indexed: 100, updated: 120 };
const live: Rebuild = {
  ...{ generation: 7, terms: termsVersion, indexed: 50, updated: 60, epoch: 3 },
  until: now + 1,
};
const left: Rebuild = { ...live, until: now };
const newer = otherTerms.newer;
const until = now + rebuildGivenUpMs;
const start = { terms: termsVersion, indexed: 1, updated: 1, epoch: 1, until };

test.each([
  ['nothing where nothing was ever indexed', undefined, undefined, true, { do: 'nothing' }],
  ['nothing where nobody asked for one', head, undefined, false, { do: 'nothing' }],
  [
    'a generation that was never used, where it is asked for',
    head,
    undefined,
    true,
    { do: 'begin', building: { generation: 7, ...start } },
  ],
  [
    'waiting for another process that shows life',
    { ...head, building: live },
    undefined,
    true,
    { do: 'wait', until: live.until },
  ],
  [
    'taking over what was left, where it stopped, by another epoch',
    { ...head, building: left },
    undefined,
    false,
    { do: 'index', building: { ...left, epoch: 4, until }, to: 100 },
  ],
  [
    'the next step of its own, by the epoch that it has',
    { ...head, building: live },
    live,
    false,
    { do: 'index', building: { ...live, until }, to: 100 },
  ],
  [
    'waiting, once another has taken it over',
    { ...head, building: { ...live, epoch: 4 } },
    live,
    false,
    { do: 'wait', until: live.until },
  ],
  [
    'another generation, where what was left is of other rules',
    { ...head, building: { ...left, terms: '0/1.0' } },
    undefined,
    false,
    { do: 'begin', building: { generation: 8, ...start } },
  ],
  [
    'waiting for a newer version that may go on with what it left',
    { ...head, building: { ...left, terms: newer } },
    undefined,
    false,
    { do: 'wait', until },
  ],
  [
    'giving up what a newer version has left for as long as that',
    { ...head, building: { ...left, terms: newer, until: now - rebuildGivenUpMs } },
    undefined,
    false,
    { do: 'give up', building: { ...left, terms: newer, until: now - rebuildGivenUpMs } },
  ],
  [
    'a generation above one that was given up',
    { ...head, lastGeneration: 9 },
    undefined,
    true,
    { do: 'begin', building: { generation: 10, ...start } },
  ],
  [
    'the switch, once all is in',
    { ...head, building: { ...live, indexed: 100, updated: 70_000 } },
    live,
    false,
    { do: 'switch', building: { ...live, indexed: 100, updated: 70_000, until } },
  ],
])('is %s', (_, found, mine, begins, next) => {
  expect(nextOfRebuild(found, { mine, begins, now })).toEqual(next);
});
