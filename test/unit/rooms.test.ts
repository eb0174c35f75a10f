/** Folders are rooms: a file may import only from the rooms that the table lists for its own. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';

interface Room {
  job: string;
  /** The rooms that it may import from, besides itself. */
  uses: readonly string[];
  /** A closed room: only the rooms in this folder import from it. */
  within?: string;
}

/** The rooms; `*` stands for the files directly in a folder. */
const rooms: Record<string, Room> = {
  'functions/*': {
    job: 'Settings that all functions share: environment variables, durations, parallel work.',
    uses: [],
  },
  'functions/domain': {
    job: 'Says what a testimonial is, and how it is changed, filtered, sorted and searched.',
    uses: [],
  },
  'functions/media': {
    job: 'Receives, recognizes, stores, shows and erases photos and recordings.',
    uses: functions('*', 'domain', 'fair-use'),
  },
  'functions/csv': {
    job: 'Reads and writes CSV, and knows what people call its columns.',
    uses: functions('domain'),
  },
  'functions/reading': {
    job: 'Reads files of testimonials: bytes, text, tables, columns, lines, and what to say about them.',
    uses: functions('*', 'domain', 'csv', 'http'),
  },
  'functions/dynamodb': {
    job: 'Calls DynamoDB, and names the keys of all items.',
    uses: functions('*', 'domain'),
  },
  'functions/accounts': {
    job: 'Stores organizations, tokens, people and pages.',
    uses: functions('*', 'domain', 'dynamodb'),
  },
  'functions/testimonials/*': {
    job: 'The door of the testimonials: creates, finds, changes, lists, counts, loads, indexes and repairs them.',
    uses: functions(
      '*',
      'domain',
      'dynamodb',
      'accounts',
      ...engine(
        'model',
        'operations',
        'load',
        'list-index/*',
        'list-index/read',
        'list-index/write',
        'table',
      ),
    ),
  },
  'functions/testimonials/model': {
    job: 'Says what the testimonials need of their stores.',
    uses: functions('domain'),
    within: 'functions/testimonials',
  },
  'functions/testimonials/operations': {
    job: 'Creates, finds, lists, changes and erases testimonials, step by step.',
    uses: functions('*', 'domain', ...engine('model', 'list-index/*', 'list-index/bits', 'list-index/read')),
    within: 'functions/testimonials',
  },
  'functions/testimonials/load': {
    job: 'Stores many testimonials in loads, which can be continued and undone.',
    uses: functions(
      '*',
      'domain',
      'accounts',
      ...engine('model', 'operations', 'list-index/*', 'list-index/write'),
    ),
    within: 'functions/testimonials',
  },
  'functions/testimonials/list-index/*': {
    job: 'Names the terms that the list index has of a testimonial, and what its store can do.',
    uses: functions('*', 'domain', ...engine('model', 'list-index/bits')),
    within: 'functions/testimonials',
  },
  'functions/testimonials/list-index/bits': {
    job: 'Encodes postings and summaries.',
    uses: functions('domain'),
    within: 'functions/testimonials',
  },
  'functions/testimonials/list-index/read': {
    job: 'Answers lists and counts from the list index.',
    uses: functions('*', 'domain', ...engine('model', 'list-index/*', 'list-index/bits')),
    within: 'functions/testimonials',
  },
  'functions/testimonials/list-index/write': {
    job: 'Updates, rebuilds and verifies the list index.',
    uses: functions('*', 'domain', ...engine('model', 'list-index/*', 'list-index/bits', 'list-index/read')),
    within: 'functions/testimonials',
  },
  'functions/testimonials/table': {
    job: 'Stores testimonials, their list index and their loads in DynamoDB.',
    uses: functions('*', 'domain', 'dynamodb', ...engine('model', 'list-index/*', 'load')),
    within: 'functions/testimonials',
  },
  'functions/fair-use': {
    job: 'Prices requests and holds organizations to their budgets.',
    uses: functions('*', 'domain', 'dynamodb'),
  },
  'functions/http': {
    job: 'Does what all API requests need: log, tokens, budgets, validation, error codes.',
    uses: functions('*', 'domain', 'dynamodb', 'accounts', 'fair-use'),
  },
  'functions/create-testimonial': { job: 'The function behind POST /v1/testimonials.', uses: handler() },
  'functions/list-testimonials': { job: 'The function behind GET /v1/testimonials.', uses: handler() },
  'functions/moderate-testimonials': {
    job: 'The function that reads, changes and erases one testimonial.',
    uses: handler(),
  },
  'functions/serve-desk/parts': {
    job: 'Builds the pages of the desk: layout, forms, cards, the desk that each request works at, and the steps of imports.',
    uses: [...handler(), ...functions('list-testimonials')],
  },
  'functions/serve-pages': {
    job: 'Serves forms that collect testimonials and walls that show them.',
    uses: [...handler(), ...functions('list-testimonials')],
  },
  'functions/serve-desk': {
    job: 'The function that serves the desk, on which invited people moderate.',
    uses: [...handler(), ...functions('csv', 'list-testimonials', 'serve-desk/parts', 'serve-pages')],
  },
  'functions/serve-desk/import-worker': {
    job: 'Imports a file in the browser at the desk: reads it in a worker, and sends its lines in steps.',
    uses: functions('domain', 'reading', 'serve-desk/parts'),
  },
  'functions/publish-events': {
    job: 'The function that publishes events of changes.',
    uses: functions('*', 'domain', 'dynamodb', 'testimonials/*'),
  },
  'functions/index-testimonials': {
    job: 'The function that keeps the list index up to date, and the media of testimonials.',
    uses: functions('*', 'domain', 'media', 'dynamodb', 'testimonials/*'),
  },

  '.': { job: 'Describes the project to npm and the CDK: package.json, cdk.json.', uses: [] },
  'lib/*': { job: 'Serves apps on this machine.', uses: [] },
  'lib/infrastructure': { job: 'Defines the AWS stack.', uses: ['functions'] },
  'lib/openapi': { job: 'Writes docs/openapi.json.', uses: ['functions'] },
  'lib/local-runner': {
    job: 'Runs the synthesized template on this machine.',
    uses: ['functions', 'lib/*', 'lib/infrastructure', '.'],
  },
  'lib/operator/terminal': {
    job: 'Prints, asks and shows progress in a terminal.',
    uses: ['functions/domain'],
  },
  'lib/operator/files': { job: 'Reads and writes whole files.', uses: [] },
  'lib/operator/erase': {
    job: 'Erases testimonials and removes their words from the list index.',
    uses: ['functions'],
  },
  'lib/operator/moderate': {
    job: 'Changes all testimonials that match a filter.',
    uses: ['functions'],
  },
  'lib/operator/sample-data': {
    job: 'Generates testimonials to try the service with.',
    uses: ['functions'],
  },
  'lib/operator/import': {
    job: 'Describes imports and their undo by commands.',
    uses: ['functions', ...operator('terminal', 'files')],
  },
  'lib/operator/list-index': {
    job: 'Reads the state of a list index, verifies and rebuilds it.',
    uses: ['functions', ...operator('import')],
  },
  'lib/operator/*': {
    job: 'Assembles the command line: its target, its sessions, what all commands share.',
    uses: ['functions', 'lib/*', 'lib/local-runner', 'lib/operator', '.'],
  },
  'lib/operator/commands': {
    job: 'The commands: their options, and what they print.',
    uses: ['functions', 'lib/operator'],
  },
  'lib/check/contract': {
    job: 'Contains each rule of the API once, played in process, over HTTP and against new versions of functions.',
    uses: ['functions', 'docs', 'lib/openapi', ...operator('*', 'sample-data')],
  },
  'lib/check': {
    job: 'Plays the contract against a URL, and against new versions of functions before they get requests.',
    uses: ['functions', 'lib/check/contract', 'lib/local-runner', 'lib/openapi', 'lib/operator', '.'],
  },
  bin: { job: 'Entry points of the npm scripts.', uses: ['functions', 'lib', '.'] },
};

function handler(): string[] {
  return functions('*', 'domain', 'dynamodb', 'accounts', 'fair-use', 'http', 'media', 'testimonials/*');
}

function functions(...names: string[]): string[] {
  return names.map((room) => `functions/${room}`);
}

function engine(...names: string[]): string[] {
  return names.map((room) => `testimonials/${room}`);
}

function operator(...names: string[]): string[] {
  return names.map((room) => `lib/operator/${room}`);
}

const folders = [...new Set(Object.keys(rooms).map((room) => room.replace('/*', '')))];

/**
 * The room of a file: the innermost folder of the table. Files directly in a folder with rooms are one of
 * their own.
 */
function roomOf(file: string): string {
  const folder = dirname(file);
  if (`${folder}/*` in rooms) return `${folder}/*`;
  const found = folders.filter((each) => each in rooms && `${folder}/`.startsWith(`${each}/`));
  return found.toSorted((a, b) => b.length - a.length)[0] ?? folder;
}

function isAllowed(from: string, to: string): boolean {
  const allowed = rooms[from]?.uses ?? [];
  // A folder that is no room itself, like `functions`, stands for all rooms in it.
  return (
    to === from || allowed.some((each) => to === each || (!(each in rooms) && to.startsWith(`${each}/`)))
  );
}

const files = globSync('{functions,lib,bin}/**/*.{ts,js}').filter((file) => !file.endsWith('.d.ts'));
const imports = files.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from |import |import\()'(\.[^']+)'/g)].map(([, path = '']) => ({
    file,
    to: join(dirname(file), path),
  })),
);

test('every file is in a room, every room has files, and imports are found', () => {
  expect(new Set([...files.map(roomOf), '.'])).toEqual(new Set(Object.keys(rooms)));
  expect(imports.length).toBeGreaterThan(500);
});

test('every import is one that the table allows', () => {
  const wrong = imports.filter(({ file, to }) => !isAllowed(roomOf(file), roomOf(to)));
  expect(wrong.map(({ file, to }) => `${file} imports ${to}`)).toEqual([]);
});

test('other rooms import only the files directly in a closed room', () => {
  const isEntered = ({ file, to }: (typeof imports)[number]) => {
    const within = rooms[roomOf(to)]?.within;
    return within !== undefined && !file.startsWith(`${within}/`);
  };
  expect(imports.filter(isEntered)).toEqual([]);
});

test('the door names nothing of the protocol', () => {
  const doors = files.filter((file) => dirname(file) === 'functions/testimonials');
  expect(doors.length).toBeGreaterThan(5);
  const naming = doors.filter((file) => /ordinal|marker|epoch|seal/i.test(readFileSync(file, 'utf8')));
  expect(naming).toEqual([]);
});

test('the engine names no command', () => {
  const engine = files.filter((file) => file.startsWith('functions/testimonials/'));
  const naming = engine.filter((file) => /npm run|--[a-z]+/.test(readFileSync(file, 'utf8')));
  expect(naming).toEqual([]);
});

test('no two rooms use each other, but for the command line', () => {
  const uses = (from: string, to: string) => from !== to && isAllowed(from, to);
  const isCommandLine = (room: string) => ['lib/operator/*', 'lib/operator/commands'].includes(room);
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
    if (path.includes(file) || done.has(file)) return;
    for (const { to } of importedBy.get(file) ?? []) visit(to, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  expect(circles).toEqual([]);
});
