/** docs/operations.md, which says what the template's names and figures mean. */
import { readFileSync } from 'node:fs';

const page = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8');

/** The text of a chapter of the page, up to the next. */
export function chapterOf(heading: string): string {
  const [, text] = page.split(`\n## ${heading}\n`);
  if (text === undefined) throw new Error(`docs/operations.md has no chapter ${heading}`);
  return text.split('\n## ')[0] ?? '';
}

/** The headings of the sections in a chapter. */
export function sectionsOf(heading: string): string[] {
  return [...chapterOf(heading).matchAll(/^### (.+)$/gm)].map(([, section = '']) => section);
}

/** What a link to a heading ends with, as GitHub and others make it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
}

/** The rows of the first table in a chapter, without its head, each an array of its cells. */
export function tableOf(heading: string): string[][] {
  const lines = chapterOf(heading).split('\n');
  const rows = lines.slice(lines.findIndex(isRow));
  const end = rows.findIndex((line) => !isRow(line));
  return rows.slice(2, end < 0 ? rows.length : end).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

const isRow = (line: string) => line.startsWith('|');
