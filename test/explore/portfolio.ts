/** Many scenarios in turns, so that none waits for all of another. */
import { Exploration, type Limits } from './exploration.ts';
import type { Scenario } from './scenarios.ts';

// Schedules of a scenario in its turn.
const turn = 50;

export class Portfolio {
  readonly explorations: Exploration[];

  constructor(scenarios: readonly Scenario[], seed: number) {
    this.explorations = scenarios.map((scenario) => new Exploration(scenario, seed));
  }

  get schedules(): number {
    return this.explorations.reduce((sum, { schedules }) => sum + schedules, 0);
  }

  /**
   * Plays the schedules of all scenarios, those with fewer preemptions first.
   * @param afterTurn told after each scenario's turn
   * @throws {Counterexample}
   */
  async play({ preemptions, schedules = Number.POSITIVE_INFINITY, until }: Limits, afterTurn = () => {}) {
    for (let most = 0; most <= preemptions; most += 1) {
      for (let open = this.explorations; open.length > 0; open = open.filter(({ left }) => left <= most)) {
        for (const each of open) {
          const rest = schedules - this.schedules;
          if (rest <= 0 || (until !== undefined && Date.now() >= until)) return;
          await each.play({ preemptions: most, schedules: Math.min(turn, rest), ...(until !== undefined && { until }) });
          afterTurn();
        }
      }
    }
  }
}
