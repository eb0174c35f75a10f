/** Some of the schedules that `npm run test:explore` plays, always the same. */
import { expect, test } from '@jest/globals';
import { costs } from '../../explore/exploration.ts';
import { Portfolio } from '../../explore/portfolio.ts';
import { scenarios } from '../../explore/scenarios.ts';

const schedules = 60;

test('after each of many schedules all lists and the index are right', async () => {
  const portfolio = new Portfolio(scenarios, 1);
  await portfolio.play({ cost: costs.one, schedules });
  expect(portfolio.schedules).toBeGreaterThanOrEqual(schedules);
});
