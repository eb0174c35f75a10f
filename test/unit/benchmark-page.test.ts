/** docs/benchmark.md and its plot show the figures of docs/benchmark.json. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { type Figures, type ListFigures, toJson } from '../benchmark/figures.ts';
import { plotOf } from '../benchmark/plot.ts';
import { plotText } from '../benchmark/report.ts';

const read = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
const figures: Figures = JSON.parse(read('benchmark.json'));
const page = read('benchmark.md');

test('the plot is drawn from benchmark.json, and the page shows it', () => {
  expect(read('images/benchmark.svg')).toBe(plotOf(figures.lists));
  expect(page).toContain(plotText);
  expect(plotText).toContain(`${new Set(figures.lists.map(({ list }) => list)).size} lists`);
});

test('benchmark.json is written as it is read', () => {
  expect(toJson(figures)).toBe(read('benchmark.json'));
});

describe('the plot', () => {
  const list = (name: string, testimonials: number, rest: Partial<ListFigures> = {}): ListFigures => ({
    list: name,
    testimonials,
    matches: 1,
    rowsBy: 'walk',
    readUnits: 5,
    requests: 2,
    rounds: 1,
    listsASecond: 1,
    dollars: 1,
    modelMs: 1,
    wall: [1, 1, 1],
    cpu: [1, 2, 3],
    again: { readUnits: 1, requests: 1, rounds: 1 },
    ...rest,
  });
  const name = 'approved, first page';
  const lineOf = (svg: string, label: string) =>
    svg
      .split('<g class=')
      .find((group) => group.includes(`>${label}</text>`))
      ?.match(/points="([^"]*)"/)?.[1]
      ?.split(' ')
      .map((corner) => corner.split(',').map(Number));

  test('places equal factors at equal distances, on both axes', () => {
    const sizes = [
      list(name, 1000, { readUnits: 3 }),
      list(name, 100_000, { readUnits: 300 }),
      list(name, 10_000, { readUnits: 30 }),
    ];
    const [first = [], second = [], third = []] = lineOf(plotOf(sizes), 'ours, list') ?? [];
    for (const axis of [0, 1]) {
      const steps = [(second[axis] ?? 0) - (first[axis] ?? 0), (third[axis] ?? 0) - (second[axis] ?? 0)];
      expect(steps[0]).toBeCloseTo(steps[1] ?? 0, 0);
    }
    expect(third[0]).toBeGreaterThan(first[0] ?? 0);
    expect(third[1]).toBeLessThan(first[1] ?? 0);
  });

  test('leaves out contenders that were not measured, such as the filter design at a million', () => {
    const withFilter = list(name, 1000, { filterDesign: { readUnits: 50, wall: [1, 1, 1] } });
    const svg = plotOf([withFilter, list(name, 1_000_000)]);
    expect(lineOf(svg, 'filter, list')).toHaveLength(1);
    expect(lineOf(svg, 'ours, list')).toHaveLength(2);
    expect(svg).not.toContain('PostgreSQL');
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  });

  test('has its figures as text, and labels that do not overlap', () => {
    const search = 'a common word (the)';
    const svg = plotOf([list(name, 1000), list(search, 1000), list('another list', 1000)]);
    expect(svg).toContain('Read units, ours, list: 5 at 1,000');
    expect(svg).not.toContain('another list');
    const heights = Array.from(svg.matchAll(/<text class="ours" x="310" y="([\d.]+)"/g), ([, y]) =>
      Number(y),
    );
    expect(heights).toHaveLength(2);
    expect(Math.abs((heights[0] ?? 0) - (heights[1] ?? 0))).toBeGreaterThanOrEqual(17);
  });
});
