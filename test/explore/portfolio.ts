/** Explores many scenarios in turns, so that none waits for the end of another. */
import { costs, Exploration, type Limits } from './exploration.ts';
import type { Scenario } from './scenarios.ts';

// Schedules per turn of a scenario.
const turn = 50;

// Small scenarios get one more interruption than others, and come first.
const costAhead = costs.one;

export class Portfolio {
  readonly explorations: Exploration[];

  constructor(scenarios: readonly Scenario[], seed: number) {
    this.explorations = scenarios.map((scenario) => new Exploration(scenario, seed));
  }

  get schedules(): number {
    return this.explorations.reduce((sum, { schedules }) => sum + schedules, 0);
  }

  /**
   * Plays the schedules of all scenarios, cheaper ones first.
   * @param afterTurn called after each scenario's turn
   * @throws {Counterexample}
   */
  async play({ cost, schedules = Number.POSITIVE_INFINITY, until }: Limits, afterTurn = () => {}) {
    for (let most = -costAhead; most <= cost; most += 1) {
      const mostOf = ({ scenario }: Exploration) =>
        Math.min(cost, scenario.isSmall ? most + costAhead : most);
      const isOpen = (each: Exploration) => each.left <= mostOf(each);
      for (let open = this.explorations.filter(isOpen); open.length > 0; open = open.filter(isOpen)) {
        for (const each of open) {
          const rest = schedules - this.schedules;
          if (rest <= 0 || (until !== undefined && Date.now() >= until)) return;
          await each.play({
            cost: mostOf(each),
            schedules: Math.min(turn, rest),
            ...(until !== undefined && { until }),
          });
          afterTurn();
        }
      }
    }
  }
}
