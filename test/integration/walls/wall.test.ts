/** The command `wall`, from the testimonials in a table to the files in a folder. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ListQuery } from '../../../functions/domain/list-query.ts';
import type { WallTestimonial } from '../../../functions/walls/browser/view.ts';
import { firstOf } from '../../../functions/walls/files/read-wall.ts';
import { wallFiles } from '../../../functions/walls/files/wall-files.ts';
import { adminOf } from '../../admin.ts';
import { type ApiClient, createApiClient, testimonialBody } from '../../api-client.ts';
import { testimonialOf } from '../../testimonials.ts';

let client: ApiClient;
let folders: string;
let admin: ReturnType<typeof adminOf>;
let newest = 0;
// Customer 1 stands first.
const approved: string[] = [];
let rejected: string;

beforeAll(async () => {
  [client, folders] = await Promise.all([createApiClient(), mkdtemp(join(tmpdir(), 'testimonials-wall-'))]);
  admin = adminOf(client.table);
  for (let i = 1; i <= 30; i += 1) {
    const { body } = await client.create(
      testimonialBody({
        content: `Testimonial number ${i}, which is approved.`,
        author: { name: `Customer ${i}`, email: `customer${i}@secret.example` },
        ...(i % 6 > 0 && { rating: i % 6 }),
        tags: i % 2 === 0 ? ['support', 'even'] : ['odd'],
      }),
    );
    approved.push(body.id);
  }
  const other = (word: string) =>
    testimonialBody({
      content: `Nobody may read this: ${word}.`,
      author: { name: word, email: `${word}@secret.example` },
    });
  await client.create(other('pending'));
  rejected = (await client.create(other('rejected'))).body.id;
  await admin('testimonial', 'approve', '--organization', 'acme', ...approved);
  await admin('testimonial', 'reject', '--organization', 'acme', rejected);
});
afterAll(() => rm(folders, { recursive: true, force: true }));

/** Writes a wall into a folder of its own. */
async function wall(...args: string[]) {
  newest += 1;
  const out = join(folders, `wall-${newest}`);
  const printed = await admin('wall', '--organization', 'acme', '--out', out, ...args);
  return { ...printed, out };
}

async function filesIn(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder);
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const)),
  );
}

async function shownIn(folder: string): Promise<WallTestimonial[]> {
  return JSON.parse(String((await filesIn(folder))['testimonials.json']));
}

function downFrom(highest: number): number[] {
  return Array.from({ length: highest }, (_, i) => highest - i);
}

async function jsonLdIn(folder: string) {
  const html = String((await filesIn(folder))['index.html']);
  return JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html)?.[1] ?? 'null');
}

describe('a wall', () => {
  test('has the approved testimonials, newest first, and all its files', async () => {
    const { code, stdout, stderr, out } = await wall();
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        new RegExp(`^30 testimonials written to ${out}\\n\\n.*\\n\\n<iframe src=[^]*</script>\\n$`),
      ),
      stderr: '',
    });
    expect((await shownIn(out)).map(({ name }) => name)).toEqual(
      Array.from({ length: 30 }, (_, i) => `Customer ${30 - i}`),
    );
    expect((await readdir(out)).toSorted()).toEqual(Object.keys(wallFiles).toSorted());
  });

  test('has no e-mail address, no id and nothing that is not approved in any file', async () => {
    const { out } = await wall();
    for (const content of Object.values(await filesIn(out))) {
      expect(content).not.toMatch(/@secret|test_\d|Nobody may read/);
    }
  });

  test('begins with what is picked, in that order: ids and filters, each once', async () => {
    const idsOf = (...numbers: number[]) => numbers.map((i) => approved[i - 1]);
    const [three, nine, two] = idsOf(3, 9, 2);
    const names = async (...args: string[]) =>
      (await shownIn((await wall(...args)).out)).map(({ name }) => Number(name.slice('Customer '.length)));
    expect(await names('--count', '5', '--pick', `${nine},${three}`, '--pick', `${two}`)).toEqual([
      ...[9, 3, 2, 30, 29],
    ]);
    expect(await names('--pick', `${nine}`)).toEqual([9, ...downFrom(30).filter((i) => i !== 9)]);
    const even = downFrom(30).filter((i) => i % 2 === 0);
    expect(await names('--pick', `${nine}`, '--pick', 'tags=even', '--count', '18')).toEqual([
      ...[9, ...even, 29, 27],
    ]);
    // Also what --where leaves out.
    expect(await names('--pick', `${nine}`, '--where', 'tags=even')).toEqual([9, ...even]);
    expect(await names('--where', 'tags=even')).toEqual(even);
  });

  test('is narrowed and ordered by list parameters; no average of the best alone goes to search engines', async () => {
    const { out, code } = await wall('--where', 'rating=4&tags=EVEN&sort=rating&status=approved');
    expect(code).toBe(0);
    const shown = await shownIn(out);
    expect(shown.map(({ rating }) => rating)).toEqual([4, 4, 4, 4, 4]);
    expect(shown.every(({ tags }) => tags.includes('even'))).toBe(true);
    const jsonLd = await jsonLdIn(out);
    expect(jsonLd.review).toHaveLength(5);
    expect(jsonLd).not.toHaveProperty('aggregateRating');
  });

  test('looks as it is told, and is about that', async () => {
    const { out } = await wall(
      ...['--title', 'Loved <everywhere>', '--about', 'Acme "Pro"', '--about-type', 'Product'],
      ...['--look', 'single', '--hide', 'dates', '--own-tags', 'even', '--lang', 'de'],
      ...['--texts', '{"previous":"Zurück"}'],
    );
    const { 'index.html': html = '' } = await filesIn(out);
    expect(html).toMatch(/<html lang="de".*class="cards single .*Zurück/s);
    expect(html).toContain('<title>Loved &lt;everywhere&gt;</title>');
    expect(html).toContain('What customers say about Acme &quot;Pro&quot;. Rated 3,0 out of 5.');
    expect(html).not.toContain('<time');
    expect((await shownIn(out)).flatMap(({ tags }) => tags)).not.toContain('even');
    expect(await jsonLdIn(out)).toMatchObject({ '@type': 'Product', name: 'Acme "Pro"' });
  });

  test('of nothing is empty, and the command says so', async () => {
    const { code, stderr, out } = await wall('--where', 'tags=absent');
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'The wall is empty: acme has no approved testimonial that matches --where.\n',
    });
    expect(await shownIn(out)).toEqual([]);
  });

  test('tells scripts what it wrote', async () => {
    const { stdout, out } = await wall('--json', '--count', '7');
    expect(JSON.parse(stdout)).toEqual({ organization: 'acme', folder: out, testimonials: 7 });
  });
});

describe('refused is', () => {
  test.each([
    [
      ['--where', 'status=pending'],
      'A wall shows approved testimonials only. Remove status=pending from --where.',
    ],
    [['--where', 'status=all'], 'A wall shows approved testimonials only. Remove status=all from --where.'],
    [
      ['--where', 'limit=5'],
      '--where cannot contain page or limit. Use --count for the number of testimonials.',
    ],
    [['--where', 'rating=6'], 'rating must be a whole number from 1 to 5'],
    [['--where', 'tag=even'], 'A list has no parameter tag. Filter by'],
    [
      ['--pick', 'tags=even&status=pending'],
      'A wall shows approved testimonials only. Remove status=pending from --pick.',
    ],
    [['--pick', 'tag=even'], 'A list has no parameter tag. Filter by'],
    [['--pick', 'test_1'], 'There is no testimonial test_1'],
    [['--count', '0'], 'It must be a whole number from 1 to 10000.'],
  ])('%j', async (args, message) => {
    const { code, stderr, out } = await wall(...args);
    expect(code).toBe(1);
    expect(stderr).toContain(message);
    await expect(readdir(out)).rejects.toThrow('ENOENT');
  });

  test('to pick what is not approved', async () => {
    const { code, stderr, out } = await wall('--pick', rejected);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `${rejected} is rejected. A wall shows approved testimonials only: approve it or remove it from --pick.\n`,
    });
    await expect(readdir(out)).rejects.toThrow('ENOENT');
  });

  test('an organization that does not exist: a misspelt name empties no wall', async () => {
    const { out } = await wall();
    const misspelt = await admin('wall', '--organization', 'acmee', '--out', out);
    expect(misspelt).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^There is no organization acmee\. To see the organizations, run: .* token list\n$/,
      ),
    });
    expect(await shownIn(out)).toHaveLength(30);
  });

  test('a folder with other files, which are left alone', async () => {
    const out = join(folders, 'site');
    await mkdir(out);
    await writeFile(join(out, 'index.html'), '<h1>Home</h1>');
    expect(await admin('wall', '--organization', 'acme', '--out', out)).toMatchObject({
      code: 1,
      stderr: `${out} contains files that do not belong to a wall (index.html). Choose a new or empty folder.\n`,
    });
    await writeFile(join(out, 'notes.txt'), 'Mine');
    expect((await admin('wall', '--organization', 'acme', '--out', out)).stderr).toContain('(notes.txt)');
    expect(await filesIn(out)).toEqual({ 'index.html': '<h1>Home</h1>', 'notes.txt': 'Mine' });
  });
});

describe('written again', () => {
  test('a wall has the new testimonials, and keeps its theme', async () => {
    const { out } = await wall('--count', '2');
    await writeFile(join(out, 'theme.css'), ':root { --wall-accent: teal; }');
    expect(await admin('wall', '--organization', 'acme', '--out', out)).toMatchObject({ code: 0 });
    expect(await shownIn(out)).toHaveLength(30);
    expect((await filesIn(out))['theme.css']).toBe(':root { --wall-accent: teal; }');
  });

  test('a wall is whole after one that stopped in the middle', async () => {
    const { out } = await wall();
    const whole = await filesIn(out);
    const stoppedFirst = join(folders, 'stopped');
    await mkdir(stoppedFirst);
    await writeFile(join(stoppedFirst, 'index.html.partial'), '');
    await writeFile(join(stoppedFirst, 'wall.css.partial'), '/* half');
    await writeFile(join(out, 'testimonials.json.partial'), '[{"half');
    for (const folder of [stoppedFirst, out]) {
      expect(await admin('wall', '--organization', 'acme', '--out', folder)).toMatchObject({ code: 0 });
      expect(await filesIn(folder)).toEqual(whole);
    }
  });
});

test('a wall is read again when someone moderates meanwhile', async () => {
  const all = Array.from({ length: 150 }, (_, i) => testimonialOf({ id: `test_${i}` }));
  let lists = 0;
  const list = async ({ page, limit }: ListQuery) => {
    lists += 1;
    // Between the first page and the second one goes, which moves all others.
    if (lists === 2) all.shift();
    return { testimonials: all.slice((page - 1) * limit, page * limit), total: all.length };
  };
  const query = { filter: {}, sort: 'createdAt', order: 'desc' } as const;
  expect(await firstOf(list, query, 500)).toEqual(all);
});
