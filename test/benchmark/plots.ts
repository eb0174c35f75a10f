/** Cost against size, for each list. */
import type { TopLevelSpec } from 'vega-lite';
import { colours, lines, powersOfTen, svgOf, text } from './svg.ts';

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
  const axis = { labelColor: text, titleColor: text, gridColor: lines, domainColor: text, tickColor: text };
  const spec: TopLevelSpec = {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    background: 'transparent',
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
    config: { axis, view: { stroke: lines }, font: 'sans-serif' },
  };
  return svgOf(spec);
}
