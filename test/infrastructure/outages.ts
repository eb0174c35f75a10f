/**
 * The alarm for repeated failures, on requests that arrive at random (a Poisson process), as CloudWatch
 * evaluates it.
 */
import { describe, expect, test } from '@jest/globals';
import { evaluate } from './metric-math.ts';
import { synthesizeWith } from './synthesized.ts';

const { Metrics, Threshold, EvaluationPeriods } = synthesizeWith({ stage: 'prod' }).one(
  'CloudWatch::Alarm',
  'AlarmsRepeatedFailures',
).Properties;
const [{ Expression }, ...parts] = Metrics;
const windowHours = parts[0].MetricStat.Period / 3600;

/** Returns pseudo-random numbers from 0 to 1 (mulberry32), the same ones in each run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns the times in an hour at which requests arrive, of so many an hour on average. */
function arrivals(anHour: number, hour: number, next: () => number): number[] {
  const times: number[] = [];
  for (let time = hour; anHour > 0; ) {
    time -= Math.log(1 - next()) / anHour;
    if (time > hour + 1) break;
    times.push(time);
  }
  return times;
}

/** A service, by its requests an hour that fail and that succeed. */
interface Traffic {
  failing: number;
  others: number;
}

/**
 * Returns the hour at which the alarm is raised, if it is. Its window slides
 * (https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation-window.html), so a new
 * failure raises it, or nothing.
 */
function raisedAt({ failing, others }: Traffic, hours: number, seed: number): number | undefined {
  const next = random(seed);
  const failed = Array.from({ length: hours }, (_, hour) => arrivals(failing, hour, next)).flat();
  // Made when they are counted: a year has millions.
  const succeeded = new Map<number, number[]>();
  const inHour = (hour: number) => {
    const times = succeeded.get(hour) ?? arrivals(others, hour, random(seed * 100_000 + hour));
    succeeded.set(hour, times);
    return times;
  };
  const isIn = (time: number, end: number) => time <= end && time > end - windowHours;
  return failed.find((end, nth) => {
    const failures = failed.slice(0, nth + 1).filter((time) => isIn(time, end)).length;
    // A few failures raise no alarm, whatever succeeds.
    if (failures < 3) return false;
    const before = Array.from({ length: windowHours + 1 }, (_, back) => Math.floor(end) - back);
    const successes = before
      .filter((hour) => hour >= 0)
      .flatMap(inHour)
      .filter((time) => isIn(time, end)).length;
    const measured = { failed: failures, requests: failures + successes };
    return evaluate(Expression, parts, measured) >= Threshold;
  });
}

/** Returns the share of simulations in which the alarm is raised in time. */
function shareRaised(traffic: Traffic, hours: number): number {
  const runs = 100;
  const raised = Array.from({ length: runs }, (_, seed) => raisedAt(traffic, hours, seed + 1));
  return raised.filter((at) => at !== undefined).length / runs;
}

describe('repeated failures raise an alarm', () => {
  test.each<[string, Traffic, number]>([
    ['a total outage at two requests an hour, within three hours', { failing: 2, others: 0 }, 3],
    ['creates that fail ten an hour beside no lists, within an hour', { failing: 10, others: 0 }, 1],
    ['creates that fail ten an hour beside busy lists, within an hour', { failing: 10, others: 3000 }, 1],
    ['a fifth of eight requests an hour, within a day', { failing: 1.6, others: 6.4 }, 24],
    ['a total outage at a request an hour, within a day', { failing: 1, others: 0 }, 24],
  ])('of %s, in nine of ten cases', (_, traffic, hours) => {
    expect(shareRaised(traffic, hours)).toBeGreaterThanOrEqual(0.9);
  });

  test('and none in a year of a service whose every ten-thousandth of a thousand requests an hour fails', () => {
    const years = Array.from({ length: 5 }, (_, seed) => seed + 1);
    const raised = years.map((seed) => raisedAt({ failing: 0.1, others: 1000 }, 365 * 24, seed));
    expect(raised.filter((at) => at !== undefined)).toEqual([]);
  });

  test('of a protected stage at once, and of no other', () => {
    expect(EvaluationPeriods).toBe(1);
    expect(synthesizeWith().all('CloudWatch::Alarm', 'AlarmsRepeatedFailures')).toEqual([]);
  });
});
