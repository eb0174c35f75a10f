/** Draws docs/images/benchmark.svg: what a list and a search cost as testimonials become more. */
import type { ListFigures } from './figures.ts';

interface Line {
  label: string;
  color: 'ours' | 'filter' | 'postgresql';
  isDashed: boolean;
  points: [testimonials: number, value: number][];
}

interface Panel {
  title: string;
  lines: Line[];
}

const plotted = [
  { name: 'approved, first page', label: 'list', isDashed: false },
  { name: 'a common word (the)', label: 'search', isDashed: true },
];

const width = 880;
const height = 360;
const panel = { left: 60, top: 56, width: 240, height: 250, distance: 430 };

// Colors that differ in brightness too, with a contrast of 4.5 on white and on GitHub's dark background.
const style = `text { font: 13px system-ui, sans-serif; fill: #1f2328; }
    .title { font-weight: 600; }
    .grid { stroke: #d1d9e0; }
    .ours { --color: #0550ae; } .filter { --color: #bc4c00; } .postgresql { --color: #6e4fb4; }
    polyline { fill: none; stroke: var(--color); stroke-width: 2; }
    circle, text.ours, text.filter, text.postgresql { fill: var(--color); }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; }
      .grid { stroke: #3d444d; }
      .ours { --color: #79b8ff; } .filter { --color: #ffa657; } .postgresql { --color: #c4a7ff; }
    }`;

/** Returns the plot as SVG: read units on the left, processor time on the right, both logarithmic. */
export function plotOf(lists: readonly ListFigures[]): string {
  const panels: Panel[] = [
    {
      title: 'Read units',
      lines: [
        ...linesOf(lists, 'ours', ({ readUnits }) => readUnits),
        ...linesOf(lists, 'filter', ({ filterDesign }) => filterDesign?.readUnits),
      ],
    },
    {
      title: 'Milliseconds of a processor',
      lines: [
        ...linesOf(lists, 'ours', ({ cpu }) => cpu?.[1]),
        ...linesOf(lists, 'postgresql', ({ postgresql }) => postgresql?.cpu?.[1]),
      ],
    },
  ];
  const description = panels.flatMap(({ title, lines }) => lines.map((line) => describe(title, line)));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">
  <title>${description.join('; ')}</title>
  <style>
    ${style}
  </style>
${panels.map((each, nth) => drawn(each, panel.left + nth * panel.distance)).join('\n')}
</svg>
`;
}

const names = { ours: 'ours', filter: 'filter', postgresql: 'PostgreSQL' };

function linesOf(
  lists: readonly ListFigures[],
  color: Line['color'],
  figureOf: (list: ListFigures) => number | undefined,
): Line[] {
  return plotted.flatMap(({ name, label, isDashed }) => {
    const points = lists
      .filter(({ list }) => list === name)
      .toSorted((a, b) => a.testimonials - b.testimonials)
      .flatMap((each): Line['points'] => {
        const value = figureOf(each);
        return value ? [[each.testimonials, value]] : [];
      });
    return points.length > 0 ? [{ label: `${names[color]}, ${label}`, color, isDashed, points }] : [];
  });
}

function describe(title: string, { label, points }: Line): string {
  return `${title}, ${label}: ${points.map(([size, value]) => `${value} at ${numeral(size)}`).join(', ')}`;
}

function drawn({ title, lines }: Panel, left: number): string {
  const x = scaleOf(decadesAround(lines.flatMap(({ points }) => points.map(([size]) => size))), panel.width);
  const y = scaleOf(
    decadesAround(lines.flatMap(({ points }) => points.map(([, value]) => value))),
    panel.height,
  );
  const xOf = (size: number) => fixed(left + x.at(size));
  const yOf = (value: number) => fixed(panel.top + panel.height - y.at(value));
  const right = left + panel.width;
  const bottom = panel.top + panel.height;
  const labels = apart(lines.map(({ points }) => Number(yOf(points.at(-1)?.[1] ?? 1))));
  return [
    `  <text class="title" x="${left}" y="24">${title}</text>`,
    ...y.decades.map(
      (value) =>
        `  <line class="grid" x1="${left}" x2="${right}" y1="${yOf(value)}" y2="${yOf(value)}"/>` +
        `<text x="${left - 8}" y="${yOf(value)}" text-anchor="end" dy="4">${numeral(value)}</text>`,
    ),
    ...x.decades.map(
      (size) => `  <text x="${xOf(size)}" y="${bottom + 24}" text-anchor="middle">${numeral(size)}</text>`,
    ),
    `  <text x="${left + panel.width / 2}" y="${bottom + 44}" text-anchor="middle">testimonials</text>`,
    ...lines.map(({ label, color, isDashed, points }, nth) => {
      const corners = points.map(([size, value]) => `${xOf(size)},${yOf(value)}`);
      const dots = points.map(([size, value]) => `<circle cx="${xOf(size)}" cy="${yOf(value)}" r="3"/>`);
      const dashes = isDashed ? ' stroke-dasharray="6 4"' : '';
      return `  <g class="${color}"><polyline points="${corners.join(' ')}"${dashes}/>${dots.join('')}
    <text class="${color}" x="${right + 10}" y="${labels[nth]}" dy="4">${label}</text></g>`;
    }),
  ].join('\n');
}

/** Returns the powers of ten from the one below all values to the one above. */
function decadesAround(values: readonly number[]): number[] {
  const lowest = Math.floor(Math.log10(Math.min(...values)));
  const highest = Math.ceil(Math.log10(Math.max(...values)));
  return Array.from({ length: Math.max(highest - lowest, 1) + 1 }, (_, nth) => 10 ** (lowest + nth));
}

function scaleOf(decades: number[], length: number) {
  const [lowest = 1] = decades;
  const at = (value: number) => (Math.log10(value / lowest) / (decades.length - 1)) * length;
  return { decades, at };
}

/** Moves labels down until each has its line of text. */
function apart(positions: readonly number[]): number[] {
  const lineHeight = 17;
  const moved = [...positions];
  let lowest = Number.NEGATIVE_INFINITY;
  for (const nth of moved
    .keys()
    .toArray()
    .toSorted((a, b) => (moved[a] ?? 0) - (moved[b] ?? 0))) {
    lowest = Math.max(moved[nth] ?? 0, lowest + lineHeight);
    moved[nth] = lowest;
  }
  return moved;
}

function fixed(value: number): string {
  return value.toFixed(1);
}

function numeral(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 2 });
}
