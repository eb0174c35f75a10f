/** The plots, as SVG by Vega-Lite: on no background and in colours that show on light and dark. */
import * as vega from 'vega';
import { type Config, compile, type TopLevelSpec } from 'vega-lite';
import type { OverviewPoint } from './report/overview.ts';

// Colours of Okabe and Ito's palette, which the colour-blind can tell apart, that show on white and on black.
const colours = ['#0072B2', '#D55E00', '#009E73'];
// The first of them so light that it can be read in big letters, too.
const bigColours = ['#2388CC', '#D55E00'];
const text = '#808890';
const lines = '#80889055';
const bigLetters = 22;

export interface Point {
  list: string;
  contender: string;
  size: number;
  value: number;
  /** Why the line ends here. */
  note?: string;
}

/** One small log–log plot a list, with a line for each contender. */
export async function plot(points: Point[], title: string, contenders: string[]): Promise<string> {
  return svgOf({
    data: { values: points },
    facet: {
      field: 'list',
      type: 'nominal',
      sort: [...new Set(points.map(({ list }) => list))],
      header: { title: null, labelColor: text, labelFontSize: 12 },
    },
    columns: 3,
    align: 'all',
    spacing: { row: 30, column: 40 },
    spec: {
      width: 210,
      height: 150,
      encoding: {
        x: {
          ...{ field: 'size', type: 'quantitative', scale: { type: 'log' }, title: 'testimonials' },
          axis: { format: '~s', values: [...new Set(points.map(({ size }) => size))], labelFlush: false },
        },
        y: {
          ...{ field: 'value', type: 'quantitative', scale: { type: 'log' }, title },
          axis: { format: ',~r', values: powersOfTen(points.map(({ value }) => value)) },
        },
      },
      layer: [
        {
          mark: { type: 'line', point: { size: 40 }, strokeWidth: 2 },
          encoding: {
            color: {
              ...{ field: 'contender', type: 'nominal', title: null },
              scale: { domain: contenders, range: colours },
              legend: { orient: 'top', labelColor: text, labelFontSize: 12, symbolStrokeWidth: 3 },
            },
          },
        },
        {
          transform: [{ filter: 'isValid(datum.note)' }],
          mark: { type: 'text', align: 'left', baseline: 'bottom', dx: 5, color: text, fontSize: 9 },
          encoding: { text: { field: 'note', type: 'nominal' } },
        },
      ],
    },
  });
}

// Where a line's name stands: a line that ends before the right border has room beside it.
const above = { align: 'right', baseline: 'bottom', dy: -12 } as const;
const beside = { align: 'left', baseline: 'middle', dx: 14 } as const;

/** The one plot on top of the document, in big letters: what lists cost. Each line ends with its name. */
export async function overviewPlot(points: readonly OverviewPoint[]): Promise<string> {
  const sizes = [...new Set(points.map(({ size }) => size))].sort((a, b) => a - b);
  const all = points.map(({ dollars }) => dollars);
  const ends = points.filter(
    ({ line, size }) => !points.some((other) => other.line === line && other.size > size),
  );
  const color = {
    field: 'contender',
    type: 'nominal',
    scale: { domain: ['ours', 'filter design'], range: bigColours },
    legend: null,
  } as const;
  const nameOf = (contender: OverviewPoint['contender'], place: typeof above | typeof beside) => ({
    data: { values: ends.filter((end) => end.contender === contender) },
    mark: { type: 'text', fontSize: bigLetters, fontWeight: 'bold', ...place } as const,
    encoding: { text: { field: 'line', type: 'nominal' }, color } as const,
  });
  const isCut = ends.some(({ size }) => size < (sizes.at(-1) ?? 0));
  return svgOf(
    {
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
    },
    { labelFontSize: bigLetters, titleFontSize: bigLetters, titlePadding: 12 },
  );
}

async function svgOf(spec: TopLevelSpec, letters: Config['axis'] = {}): Promise<string> {
  const axis = { labelColor: text, titleColor: text, gridColor: lines, domainColor: text, tickColor: text };
  const { spec: compiled } = compile({
    ...spec,
    background: 'transparent',
    config: { axis: { ...axis, ...letters }, view: { stroke: lines }, font: 'sans-serif' },
  });
  const view = new vega.View(vega.parse(compiled), { renderer: 'none' });
  const svg = await view.toSVG();
  view.finalize();
  return svg;
}

/** The powers of ten around all values. */
function powersOfTen(values: readonly number[]): number[] {
  const logs = values.map(Math.log10);
  const first = Math.floor(Math.min(...logs));
  const last = Math.ceil(Math.max(...logs));
  return Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i));
}
