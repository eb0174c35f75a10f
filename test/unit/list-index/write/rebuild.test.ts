/** The next action on a rebuild, and a rebuild that is told to stop. */
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
const until = now + rebuildGivenUpMs;
const start = { terms: termsVersion, indexed: 1, updated: 1, epoch: 1, until };

test.each([
  ['nothing where nothing was ever indexed', undefined, true, { do: 'nothing' }],
  ['nothing where nobody asked for one', head, false, { do: 'nothing' }],
  [
    'a generation that was never used, where it is asked for',
    head,
    true,
    { do: 'begin', building: { generation: 7, ...start } },
  ],
  ['waiting for another process that shows life', { ...head, building: live }, true, { do: 'wait' }],
  [
    'taking over what was left, where it stopped, by another epoch',
    { ...head, building: left },
    false,
    { do: 'go on', building: { ...left, epoch: 4, until } },
  ],
  [
    'another generation, where what was left is of other rules',
    { ...head, building: { ...left, terms: otherTerms.older } },
    false,
    { do: 'begin', building: { generation: 8, ...start } },
  ],
  [
    'waiting for a newer version that may go on with what it left',
    { ...head, building: { ...left, terms: otherTerms.newer } },
    false,
    { do: 'wait' },
  ],
  [
    'another generation, where a newer version has left one for as long as that',
    { ...head, building: { ...left, terms: otherTerms.newer, until: now - rebuildGivenUpMs } },
    false,
    { do: 'begin', building: { generation: 8, ...start } },
  ],
])('is %s', (_, found, begins, next) => {
  expect(nextOfRebuild(found, { begins, now })).toEqual(next);
});
