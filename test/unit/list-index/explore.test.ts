/** Some of the schedules of `npm run test:explore`, always the same, and mutants that they find. */
import { expect, test } from '@jest/globals';
import { costs } from '../../explore/exploration.ts';
import { exploreMutant, mutants } from '../../explore/mutants.ts';
import { Portfolio } from '../../explore/portfolio.ts';
import { scenarios } from '../../explore/scenarios.ts';
import { runsOf } from '../../some-of.ts';

const schedules = runsOf(10);

test('after each of many schedules all lists and the index are right', async () => {
  const portfolio = new Portfolio(scenarios, 1);
  await portfolio.play({ cost: costs.one, schedules });
  expect(portfolio.schedules).toBeGreaterThanOrEqual(schedules);
});

// Mutants with an early counterexample.
test.each(mutants.filter(({ rule }) => rule === 'media' || [3, 6, 18, 25, 27].includes(rule)))(
  'the explorer finds a counterexample if $without',
  async (mutant) => expect(await exploreMutant(mutant, { schedules: 60 })).toBeDefined(),
);
