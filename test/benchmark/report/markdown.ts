/** Figures and tables as the document prints them. */
import type { Spread } from '../statistics.ts';

export function table(head: (string | number)[], rows: (string | number)[][]): string {
  const line = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, i) => (i === 0 ? '---' : '--:'))), ...rows.map(line)].join('\n');
}

export function number(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: Math.abs(value) < 100 ? 1 : 0 });
}

export function dollars(value: number): string {
  return `$${value.toFixed(2)}`;
}

export function times(factor: number): string {
  // Rounded down, so that no 99.6 passes for 100.
  return `${factor >= 10 ? number(Math.floor(factor)) : (Math.floor(factor * 10) / 10).toFixed(1)}×`;
}

export function spread({ median, low, high, count }: Spread, digits = 1): string {
  if (count === 1) return median.toFixed(digits);
  return `${median.toFixed(digits)} (${low.toFixed(digits)}–${high.toFixed(digits)})`;
}
