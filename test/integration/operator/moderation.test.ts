/** `testimonial approve`, `reject`, `tag` and `show`. */
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Status, Testimonial } from '../../../functions/domain/testimonial.ts';
import { noIndex } from '../../../functions/testimonials/list-index/index-store.ts';
import { indexStore } from '../../../functions/testimonials/table/index-store.ts';
import type { Terminal } from '../../../lib/operator/terminal/program-io.ts';
import { adminOf, commandOn, printed, refused, runAdmin } from '../../admin.ts';
import { type ApiClient, createApiClient, testimonialBody } from '../../api-client.ts';
import { failingDynamoDb, pass, refusal } from '../../failing-dynamodb.ts';
import { moderate } from '../../moderate.ts';
import { personWith } from '../../person.ts';

let api: ApiClient;
beforeAll(async () => {
  api = await createApiClient();
});

const create = async (overrides: Record<string, unknown> = {}): Promise<Testimonial> =>
  (await api.create(testimonialBody(overrides))).body;
const createMany = (count: number, overrides: Record<string, unknown> = {}) =>
  Promise.all(Array.from({ length: count }, () => create(overrides)));
const total = async (query: string): Promise<number> => (await api.list(query)).body.pagination.total;
const setStatus = (id: string, status: Status) => moderate(api, 'acme', id, status, new Date());
const runBy = (person: Terminal | undefined, ...args: string[]) =>
  adminOf(api.table, person)('testimonial', ...args, '--organization', 'acme');
const run = (...args: string[]) => runBy(undefined, ...args);

describe('by ids', () => {
  test('approve and reject change several, and the next list shows it', async () => {
    const [one, other] = await createMany(2, { tags: ['ids'] });
    const ids = [one?.id ?? '', other?.id ?? ''];
    expect(await run('approve', ...ids)).toEqual(printed(ids.map((id) => `${id} approved`).join('\n')));
    expect(await total('tags=ids&status=approved')).toBe(2);
    const { stdout } = await run('reject', ids[1] ?? '', '--json');
    expect(JSON.parse(stdout)).toMatchObject([{ id: ids[1], status: 'rejected' }]);
    const { body } = await api.list('tags=ids&status=approved');
    expect(body.testimonials.map(({ id }: Testimonial) => id)).toEqual([ids[0]]);
  });

  test('an unknown id fails the command, an approved testimonial keeps its updatedAt, the others are changed', async () => {
    const [{ id }, approved] = [await create(), await create()];
    const { updatedAt } = await setStatus(approved.id, 'approved');
    expect(await run('approve', 'test_1111111111119999', approved.id, id)).toEqual({
      code: 1,
      stdout: `${id} approved\n`,
      stderr:
        'acme has no testimonial test_1111111111119999\n' +
        `${approved.id} is already approved. Nothing changed.\n`,
    });
    expect(JSON.parse((await run('show', approved.id, '--json')).stdout)).toMatchObject({ updatedAt });
  });
});

test('show prints one testimonial of the organization, as text or JSON', async () => {
  const { id } = await create({ rating: 4, tags: ['a', 'b'] });
  const { stdout } = await run('show', id);
  expect(stdout.split('\n')).toEqual([
    `${id}  pending  text  4/5`,
    'Jane Doe <jane@example.com>',
    'tags: a, b',
    expect.stringMatching(/^created \S+Z, updated \S+Z$/),
    '',
    'Amazing product, we love it',
    '',
  ]);
  const json = await run('show', id, '--json');
  expect(JSON.parse(json.stdout)).toMatchObject({ id, ...testimonialBody() });
  expect(await adminOf(api.table)('testimonial', 'show', id, '--organization', 'other')).toEqual(
    refused(`other has no testimonial ${id}`),
  );
});

describe('by a query', () => {
  // Each test creates its own testimonials.
  let tag = 0;
  beforeEach(() => {
    tag += 1;
  });
  const tags = () => [`tag${tag}`];
  const where = (query = '') => `tags=tag${tag}${query}`;

  test('the question counts by status, and only these testimonials change', async () => {
    await createMany(3, { tags: tags(), rating: 5 });
    await createMany(2, { tags: tags(), rating: 2 });
    const [rejected, approved] = await createMany(2, { tags: tags(), rating: 5 });
    await setStatus(rejected?.id ?? '', 'rejected');
    const before = await setStatus(approved?.id ?? '', 'approved');
    const person = personWith({ answers: ['y'] });
    const finished = await runBy(person, 'approve', '--where', where('&rating=4'));
    expect(finished).toEqual(printed('4 testimonials approved'));
    expect(person.asked).toEqual([
      'Approve 4 testimonials of acme (3 pending, 1 rejected, rated 4 or more)? [y/N] ',
    ]);
    expect(await total(where('&status=approved'))).toBe(5);
    expect(await total(where('&status=pending'))).toBe(2);
    // A testimonial that had the status before stays unchanged.
    expect(JSON.parse((await run('show', before.id, '--json')).stdout)).toEqual(before);
  });

  test('nothing changes without a yes, by an answer or by --yes', async () => {
    await createMany(2, { tags: tags() });
    const finished = await runBy(personWith({ answers: [''] }), 'reject', '--where', where());
    expect(finished).toEqual(refused('Cancelled. Nothing was changed.'));
    expect(await run('reject', '--where', where())).toEqual(
      refused('Reject 2 testimonials of acme (2 pending)? To answer yes, add --yes.'),
    );
    expect(await total(where('&status=pending'))).toBe(2);
    const { stdout } = await run('reject', '--where', where(), '--yes', '--json');
    expect(JSON.parse(stdout)).toEqual({
      organization: 'acme',
      status: 'rejected',
      matching: 2,
      changed: 2,
      unchanged: 0,
      leftAlone: 0,
      full: 0,
    });
    expect(await total(where('&status=rejected'))).toBe(2);
  });

  test('an unknown organization is an error, not an empty result', async () => {
    const command = ['testimonial', 'approve', '--organization', 'acmee', '--where', 'rating=1', '--yes'];
    expect(await adminOf(api.table)(...command)).toEqual(
      refused(
        `There is no organization acmee. Check the name. To list the organizations, run: ${commandOn(api.table, 'index status --all')}`,
      ),
    );
  });

  test('succeeds without a question if there is nothing to do', async () => {
    await createMany(1, { tags: tags() });
    const finished = {
      code: 0,
      stdout: 'Nothing to do. No testimonial matches, or all of them are approved already.\n',
      stderr: '',
    };
    expect(await run('approve', '--where', where('&rating=1'))).toEqual(finished);
    expect(await run('approve', '--where', where('&status=approved'))).toEqual(finished);
  });

  test('testimonials created or changed after the question are skipped', async () => {
    const [first, second, third] = await createMany(3, { tags: tags() });
    const person = personWith({});
    person.ask = async () => {
      await setStatus(first?.id ?? '', 'rejected');
      await setStatus(second?.id ?? '', 'approved');
      await create({ tags: tags() });
      return 'yes';
    };
    const finished = await runBy(person, 'approve', '--where', where());
    expect(finished).toEqual({
      code: 1,
      stdout: '1 testimonial approved; 2 skipped: changed in the meantime, erased or unreadable\n',
      stderr: '',
    });
    expect(JSON.parse((await run('show', first?.id ?? '', '--json')).stdout).status).toBe('rejected');
    expect(JSON.parse((await run('show', third?.id ?? '', '--json')).stdout).status).toBe('approved');
    expect(await total(where('&status=pending'))).toBe(1);
  });

  test('the question also counts testimonials of a function whose clock is ahead', async () => {
    api.clock.offset = 5000;
    await createMany(2, { tags: tags() });
    api.clock.offset = 0;
    expect(await run('approve', '--where', where(), '--yes')).toEqual(printed('2 testimonials approved'));
  });

  test('an import that ends after the question stops the command before it changes anything', async () => {
    await createMany(2, { tags: tags() });
    const index = indexStore(api.table);
    const person = personWith({});
    person.ask = async () => {
      const head = (await index.readHead('acme')) ?? noIndex;
      await index.replaceHead('acme', { ...head, imports: (head.imports ?? 0) + 1 });
      return 'yes';
    };
    expect(await runBy(person, 'approve', '--where', where())).toEqual(
      refused(
        'The command failed after 0 testimonials were approved. Run the same command again to change the rest.\n' +
          'Other testimonials may match now: an import, an undo or a rebuild of the index has ended.',
      ),
    );
    expect(await total(where('&status=pending'))).toBe(2);
  });

  test('a failure prints the number of changes, and the same command changes the rest', async () => {
    const count = 90;
    await createMany(count, { tags: tags() });
    const { state, endpoint } = await failingDynamoDb();
    // The first update reserves the positions of a whole block; later updates store single changes.
    let updates = 0;
    state.fault = async (call, forward) => {
      if (call.operation !== 'UpdateItem') return pass(call, forward);
      updates += 1;
      return updates > 50 ? refusal('AccessDeniedException') : pass(call, forward);
    };
    const command = ['testimonial', 'approve', '--organization', 'acme', '--where', where(), '--yes'];
    const approve = () => runAdmin([...command, '--table', api.table.name, '--endpoint', endpoint], {});
    const failed = await approve();
    const changed = Number(/after (\d+)/.exec(failed.stderr)?.[1]);
    expect(changed).toBeGreaterThan(0);
    expect(failed).toEqual(
      refused(
        `The command failed after ${changed} testimonials were approved. ` +
          'Run the same command again to change the rest.\ninside-message',
      ),
    );
    const done = await total(where('&status=approved'));
    expect(done).toBeGreaterThanOrEqual(changed);
    state.fault = pass;
    const again = await approve();
    const rest = Number(/^\d+/.exec(again.stdout));
    expect(again).toEqual(printed(`${rest} testimonials approved`));
    // A try that the client gave up can still change a testimonial, on a busy machine also after that list.
    expect(rest).toBeLessThanOrEqual(count - done);
    expect(await total(where('&status=approved'))).toBe(count);
  });
});

test.each([
  [[], 'Add the ids of testimonials, or --where <query>.'],
  [['test_1', '--where', 'rating=5'], 'Add the ids of testimonials, or --where <query>.'],
  [['--where', 'statuss=pending'], 'Unknown parameter statuss'],
  [['--where', 'toString=1'], 'Unknown parameter toString'],
  [['--where', 'rating=6'], 'rating must be a whole number from 1 to 5'],
  [['--where', 'rating=5&page=2'], 'page is not a filter. Remove it from --where.'],
  [['--where', 'sort=rating'], 'sort is not a filter. Remove it from --where.'],
  [['--where', 'status=pending&search='], 'search has no value.'],
  [['--where', 'tags=,'], 'tags has no value.'],
  [['--where', ''], 'For every testimonial, use status=all.'],
])('approve refuses %j', async (args, message) => {
  const { code, stdout, stderr } = await run('approve', ...args, '--yes');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(message);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

describe('tag', () => {
  test('adds and removes tags by ids, and the next list shows them in both orders', async () => {
    const [one, other] = [await create({ tags: ['Draft', 'desk'] }), await create({ tags: ['desk'] })];
    expect(await run('tag', one.id, other.id, '--add', 'featured', '--remove', 'draft')).toEqual(
      printed(`${one.id} tagged\n${other.id} tagged`),
    );
    for (const sort of ['createdAt', 'updatedAt']) {
      const { body } = await api.list(`tags=featured&sort=${sort}&order=asc`);
      expect(body.testimonials.map(({ tags }: Testimonial) => tags)).toEqual([
        ['desk', 'featured'],
        ['desk', 'featured'],
      ]);
    }
    expect(await total('tags=draft')).toBe(0);
    const [shown] = (await api.list('tags=featured&sort=updatedAt&limit=1')).body.testimonials;
    expect(shown.id).toBe(other.id);
    expect(Date.parse(shown.updatedAt)).toBeGreaterThan(Date.parse(other.updatedAt));
  });

  test('says if nothing changes, or if a testimonial would have more than twenty tags', async () => {
    const { id } = await create({ tags: ['draft'] });
    const full = await create({ tags: Array.from({ length: 20 }, (_, i) => `tag-${i}`) });
    expect(await run('tag', id, full.id, '--add', 'DRAFT')).toEqual({
      code: 1,
      stdout: '',
      stderr:
        `${id} already has these tags. Nothing changed.\n` +
        `${full.id} would have more than 20 tags. Remove some of them first\n`,
    });
  });

  test('changes all testimonials that match a query, and counts those it skipped', async () => {
    await createMany(3, { tags: ['matched'] });
    await create({ tags: ['matched', 'best'] });
    await create({ tags: ['matched', ...Array.from({ length: 19 }, (_, i) => `tag-${i}`)] });
    const { code, stdout } = await run('tag', '--where', 'tags=matched', '--add', 'best', '--yes');
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout:
        '3 testimonials tagged; 1 tagged already; 1 skipped, because they would have more than 20 tags\n',
    });
    expect(await total('tags=best')).toBe(4);
    const again = await run('tag', '--where', 'tags=best', '--remove', 'best', '--yes');
    expect(again.stdout).toBe('4 testimonials tagged\n');
    expect(await total('tags=best')).toBe(0);
  });

  test.each([
    [['--add', 'a,b'], 'must not contain a comma'],
    [[], 'Add --add <tag> or --remove <tag>.'],
    [['--add', 'ux', '--remove', 'UX'], 'A change of tags must not add and remove the same tag.'],
  ])('refuses %j', async (options, problem) => {
    const { id } = await create();
    const { code, stderr } = await run('tag', id, ...options);
    expect(code).toBe(1);
    expect(stderr).toContain(problem);
  });
});
