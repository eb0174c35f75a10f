/** The pages for operators: names and figures of the template. */
import { readFileSync } from 'node:fs';

const pages = ['costs', 'recovery', 'operations', 'alarms', 'deploy-from-github'].map((name) =>
  readFileSync(new URL(`../docs/${name}.md`, import.meta.url), 'utf8'),
);

/** Returns the text of a chapter, up to the next, or that of a page without chapters. */
export function chapterOf(heading: string): string {
  const start = new RegExp(`^##? ${heading}\n`, 'm');
  const text = pages.map((page) => page.split(start)[1]).find((each) => each !== undefined);
  if (text === undefined) throw new Error(`No page for operators has a chapter ${heading}`);
  return text.split('\n## ')[0] ?? '';
}

/** Lists the headings of the sections in a chapter. */
export function sectionsOf(heading: string): string[] {
  return [...chapterOf(heading).matchAll(/^### (.+)$/gm)].map(([, section = '']) => section);
}

/** Returns the anchor of a heading, as GitHub and others make it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
}

/** Returns the rows of the first table in a chapter, without its head, as arrays of cells. */
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

/** Returns the blocks of commands in a text, also those in a list, which are indented. */
export function commandsOf(text: string): string[] {
  return [...text.matchAll(/^( *)```sh\n([\s\S]*?)^\1```$/gm)].map(([, indent = '', block = '']) =>
    block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}
