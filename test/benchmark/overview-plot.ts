/** The one plot on top of the document, in big letters: what lists cost, against how many testimonials there are. */
import type { TopLevelSpec } from 'vega-lite';
import type { OverviewPoint } from './report/overview.ts';
import { lines, powersOfTen, svgOf, text } from './svg.ts';

const fontSize = 22;

// Both can be read in big letters on white and on black.
const colours = ['#2388CC', '#D55E00'];

// Where a line's name stands: a line that ends before the right border has room beside it.
const above = { align: 'right', baseline: 'bottom', dy: -12 } as const;
const beside = { align: 'left', baseline: 'middle', dx: 14 } as const;

/** Each line ends with its name. */
export async function overviewPlot(points: readonly OverviewPoint[]): Promise<string> {
  const sizes = [...new Set(points.map(({ size }) => size))].sort((a, b) => a - b);
  const all = points.map(({ dollars }) => dollars);
  const ends = points.filter(
    ({ line, size }) => !points.some((other) => other.line === line && other.size > size),
  );
  const color = {
    field: 'contender',
    type: 'nominal',
    scale: { domain: ['ours', 'filter design'], range: colours },
    legend: null,
  } as const;
  const nameOf = (contender: OverviewPoint['contender'], place: typeof above | typeof beside) => ({
    data: { values: ends.filter((end) => end.contender === contender) },
    mark: { type: 'text', fontSize, fontWeight: 'bold', ...place } as const,
    encoding: { text: { field: 'line', type: 'nominal' }, color } as const,
  });
  const isCut = ends.some(({ size }) => size < (sizes.at(-1) ?? 0));
  const spec: TopLevelSpec = {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    background: 'transparent',
    width: 700,
    height: 380,
    encoding: {
      x: {
        ...{ field: 'size', type: 'quantitative', scale: { type: 'log' }, title: 'testimonials' },
        axis: { format: ',', values: sizes, labelFlush: false },
      },
      y: {
        ...{ field: 'dollars', type: 'quantitative', title: 'dollars a million lists' },
        scale: { type: 'log', domain: [Math.min(...all) / 2, Math.max(...all) * 2] },
        axis: { format: '$,~r', values: powersOfTen(all) },
      },
    },
    layer: [
      {
        data: { values: [...points] },
        mark: { type: 'line', point: { size: 140 }, strokeWidth: 4 },
        encoding: { color, detail: { field: 'line', type: 'nominal' } },
      },
      nameOf('ours', above),
      nameOf('filter design', isCut ? beside : above),
    ],
    config: {
      axis: {
        ...{ labelColor: text, titleColor: text, gridColor: lines, domainColor: text, tickColor: text },
        ...{ labelFontSize: fontSize, titleFontSize: fontSize, titlePadding: 12 },
      },
      view: { stroke: lines },
      font: 'sans-serif',
    },
  };
  return svgOf(spec);
}
