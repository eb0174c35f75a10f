/** Folders are rooms: each may import from those that the table gives it, and none runs back up. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';

/** What each room may import from, besides itself; `*` stands for the files directly in a folder. */
const rooms: Record<string, readonly string[]> = {
  'functions/*': [],
  'functions/domain': [],
  'functions/list-index/*': ['functions/domain', 'functions/*'],
  'functions/list-index/bits': ['functions/domain'],
  'functions/list-index/read': [
    ...['functions/domain', 'functions/*'],
    ...['functions/list-index/*', 'functions/list-index/bits'],
  ],
  'functions/list-index/write': [
    ...['functions/domain', 'functions/*'],
    ...['functions/list-index/*', 'functions/list-index/bits', 'functions/list-index/read'],
  ],
  'functions/operations': [
    ...['functions/*', 'functions/domain'],
    ...['functions/list-index/*', 'functions/list-index/bits', 'functions/list-index/read'],
  ],
  'functions/fair-use': ['functions/*', 'functions/domain', 'functions/list-index/*'],
  'functions/persistence': [
    'functions/*',
    'functions/domain',
    'functions/fair-use',
    'functions/list-index/*',
  ],
  // It names the errors of operations, to answer with their codes.
  'functions/http': ['functions/*', 'functions/domain', 'functions/fair-use', 'functions/operations'],
  'functions/create-testimonial': handler(),
  'functions/list-testimonials': handler(),
  'functions/moderate-testimonials': handler(),
  // Its pages show lists as the API reads and shows them.
  'functions/serve-desk': [...handler(), 'functions/list-testimonials', 'functions/list-index/bits'],
  'functions/publish-events': ['*', 'domain', 'persistence'].map((room) => `functions/${room}`),
  'functions/index-testimonials': [...handler(), 'functions/list-index/*', 'functions/list-index/write'],

  'lib/*': [],
  'lib/infrastructure': ['functions'],
  'lib/openapi': ['functions'],
  // What servers of this machine share.
  'lib/pages': [],
  // It serves the script of the live wall.
  'lib/local-runner': ['functions', 'lib/infrastructure', 'lib/pages', 'lib/operator/wall'],
  'lib/operator/terminal': ['functions/domain'],
  'lib/operator/files': [],
  'lib/operator/load': ['functions'],
  'lib/operator/erase': ['functions', 'lib/operator/load'],
  'lib/operator/moderate': ['functions', 'lib/operator/load'],
  'lib/operator/sample-data': ['functions', 'lib/operator/load'],
  'lib/operator/wall': ['functions', 'lib/pages', 'lib/operator/files'],
  'lib/operator/import': [
    'functions',
    ...['terminal', 'files', 'load'].map((room) => `lib/operator/${room}`),
  ],
  'lib/operator/export': ['functions', 'lib/operator/files', 'lib/operator/import'],
  // The other face of the command line.
  'lib/operator/desk': [
    ...['functions', 'lib/pages', 'lib/operator/*'],
    ...['terminal', 'files', 'import', 'export', 'wall'].map((room) => `lib/operator/${room}`),
  ],
  // The command line: it may use all of its own rooms.
  'lib/operator/*': ['functions', 'lib/*', 'lib/local-runner', 'lib/operator'],
  'lib/operator/commands': ['functions', 'lib/operator'],
  bin: ['lib'],
};

function handler(): string[] {
  return ['*', 'domain', 'fair-use', 'http', 'operations', 'persistence'].map((room) => `functions/${room}`);
}

const folders = [...new Set(Object.keys(rooms).map((room) => room.replace('/*', '')))];

/** The room of a file: the innermost folder of the table. Files directly in a folder with rooms are one of their own. */
function roomOf(file: string): string {
  const folder = dirname(file);
  if (`${folder}/*` in rooms) return `${folder}/*`;
  const found = folders.filter((each) => each in rooms && `${folder}/`.startsWith(`${each}/`));
  return found.toSorted((a, b) => b.length - a.length)[0] ?? folder;
}

function isAllowed(from: string, to: string): boolean {
  const allowed = rooms[from] ?? [];
  return to === from || allowed.some((each) => to === each || to.startsWith(`${each}/`));
}

const files = globSync('{functions,lib,bin}/**/*.{ts,js}').filter((file) => !file.endsWith('.d.ts'));
const imports = files.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from |import |import\()'(\.[^']+)'/g)].map(([, path = '']) => ({
    file,
    to: join(dirname(file), path),
  })),
);

test('every file is in a room, and imports are found', () => {
  expect(files.filter((file) => !(roomOf(file) in rooms))).toEqual([]);
  expect(imports.length).toBeGreaterThan(500);
});

test('no import runs back up', () => {
  const wrong = imports.filter(({ file, to }) => !isAllowed(roomOf(file), roomOf(to)));
  expect(wrong.map(({ file, to }) => `${file} imports ${to}`)).toEqual([]);
});

test('no two rooms use each other, but for the command line', () => {
  const uses = (from: string, to: string) => from !== to && isAllowed(from, to);
  const isCommandLine = (room: string) =>
    ['lib/operator/*', 'lib/operator/commands', 'lib/operator/desk'].includes(room);
  const both = Object.keys(rooms).flatMap((a) =>
    Object.keys(rooms).filter(
      (b) => a < b && uses(a, b) && uses(b, a) && !(isCommandLine(a) && isCommandLine(b)),
    ),
  );
  expect(both).toEqual([]);
});

test('no modules import each other in a circle', () => {
  const importedBy = Map.groupBy(imports, ({ file }) => file);
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]) => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
    // Two circles of types are left in this room.
    if (path.includes(file) || done.has(file)) return;
    for (const { to } of importedBy.get(file) ?? []) visit(to, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  expect(circles).toEqual([]);
});
