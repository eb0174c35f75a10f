/** SVG by Vega-Lite, on no background and in colours that show on light and dark. */
import * as vega from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';

// Colours of Okabe and Ito's palette, which the colour-blind can tell apart, that show on white and on black.
export const colours = ['#0072B2', '#D55E00', '#009E73'];
export const text = '#808890';
export const lines = '#80889055';

export async function svgOf(spec: TopLevelSpec): Promise<string> {
  const view = new vega.View(vega.parse(compile(spec).spec), { renderer: 'none' });
  const svg = await view.toSVG();
  view.finalize();
  return svg;
}

/** The powers of ten around all values. */
export function powersOfTen(values: readonly number[]): number[] {
  const logs = values.map(Math.log10);
  const first = Math.floor(Math.min(...logs));
  const last = Math.ceil(Math.max(...logs));
  return Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i));
}
