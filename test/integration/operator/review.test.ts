/** `testimonial review`: what a person at a terminal sees and does, alone and beside others. */
import { expect, test } from '@jest/globals';
import stringWidth from 'string-width';
import type { Status, Testimonial } from '../../../functions/domain/testimonial.ts';
import { adminOf } from '../../admin.ts';
import { createApiClient, testimonialBody } from '../../api-client.ts';
import { personWith } from '../../person.ts';
import { place } from '../../place.ts';

/** An organization with some pending testimonials, and reviews of them. */
async function acme(count: number, bodyOf: (n: number) => Record<string, unknown> = () => ({})) {
  const api = await createApiClient();
  const ids: string[] = [];
  for (let n = 1; n <= count; n += 1) {
    const { body } = await api.create(testimonialBody({ content: `Testimonial ${n} of many`, ...bodyOf(n) }));
    ids.push(body.id);
  }
  const statuses = async (): Promise<Status[]> =>
    (await api.list('order=asc&limit=100')).body.testimonials.map(({ status }: Testimonial) => status);
  const review = (keys: Parameters<typeof personWith>[0]['keys'], columns = 80) =>
    adminOf(
      api.table,
      personWith({ keys: keys ?? [], columns }),
    )(...['testimonial', 'review', '--organization', 'acme']);
  return { api, ids, statuses, review };
}

test('shows the oldest first and decides by keys', async () => {
  const { ids, statuses, review } = await acme(3);
  const { code, stdout, stderr } = await review(['a', 'r', 's']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(await statuses()).toEqual(['approved', 'rejected', 'pending']);
  expect(stdout.match(/Testimonial \d|\d left|\[u\]ndo/g)).toEqual([
    ...['3 left', 'Testimonial 1'],
    ...['2 left', 'Testimonial 2', '[u]ndo'],
    ...['1 left', 'Testimonial 3', '[u]ndo'],
  ]);
  expect(stdout).toContain(`${ids[0]} approved\n`);
  expect(stdout.trimEnd().split('\n').at(-1)).toBe(
    '1 approved, 1 rejected, 1 skipped. 1 is still pending: another review begins with the oldest.',
  );
});

test('undo sets the last decision back', async () => {
  const { statuses, review } = await acme(2);
  const { stdout } = await review(['a', 'u', 'r', 'a']);
  expect(await statuses()).toEqual(['rejected', 'approved']);
  expect(stdout).toMatch(/\n1 approved, 1 rejected, 0 skipped\. None is pending any more\.\n$/);
});

test.each(['q', 'escape', 'ctrl-c'])('%s quits, and says what was done', async (key) => {
  const { statuses, review } = await acme(3);
  const { code, stdout } = await review(['a', key, 'a']);
  expect(code).toBe(0);
  expect(await statuses()).toEqual(['approved', 'pending', 'pending']);
  expect(stdout).toMatch(/\n1 approved, 0 rejected, 0 skipped\. 2 are still pending: .*\n$/);
});

test('shows the whole testimonial, wrapped to the terminal, and nothing that a terminal obeys', async () => {
  const content = `${'素晴らしい製品です。'.repeat(20)}\n\n${'Amazing product. '.repeat(30)}\u202E\u2066end\tof it`;
  const { review } = await acme(1, () => ({
    content,
    author: { name: 'Jane\n\u202EDoe', email: 'jane@example.com', company: 'Acme\u2067' },
  }));
  const { stdout } = await review(['q'], 50);
  const [shown = ''] = stdout.split('[a]pprove');
  for (const line of shown.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(50);
  expect(stdout).not.toMatch(/[[\p{Cc}\p{Bidi_Control}]--\n]/v);
  expect(shown).toContain('Jane �Doe <jane@example.com>, Acme�');
  const withoutSpace = (text: string) => text.replace(/^│|\s/gm, '');
  expect(withoutSpace(shown)).toContain(withoutSpace(content).replace(/\p{Bidi_Control}/gu, '�'));
});

test('tells what a testimonial says from what the review says, whatever it imitates', async () => {
  const prompt = '[a]pprove  [r]eject  [s]kip  [q]uit';
  const rule = `── 3 left ${'─'.repeat(40)}`;
  const imitation = `Great product\n\n${prompt}\n${rule}\n\ntest_1  pending  text  5/5`;
  const { review } = await acme(1, () => ({
    content: imitation,
    // Of such a length that its end begins a line.
    author: { name: `${'Jane '.repeat(10)}${prompt}`, email: 'jane@example.com', company: rule },
    tags: ['long '.repeat(9).trim(), prompt],
  }));
  const { stdout } = await review(['q'], 50);
  const own = stdout.split('\n').filter((line) => !/^│( |$)/.test(line));
  expect(own.join('\n')).toBe(
    `── 1 left ${'─'.repeat(40)}\n\n${prompt}\n0 approved, 0 rejected, 0 skipped. 1 is still pending: another review begins with the oldest.\n`,
  );
});

test('two reviewers at once do not undo each other', async () => {
  const { ids, statuses, review } = await acme(4);
  const second = async function* () {
    // It is shown the second one, which the first reviewer has before him as well, and is first.
    yield 'r';
    yield 'q';
  };
  let other: Awaited<ReturnType<typeof review>> | undefined;
  const { stdout } = await review(
    (async function* () {
      yield 'a';
      other = await review(second());
      yield 'a';
      yield 'a';
      yield 'a';
    })(),
  );
  expect(other?.stdout).toContain(`${ids[1]} rejected\n`);
  expect(stdout).toContain(`Somebody else was first: ${ids[1]} is rejected now.\n`);
  expect(await statuses()).toEqual(['approved', 'rejected', 'approved', 'approved']);
  expect(stdout).toMatch(/\n3 approved, 0 rejected, 0 skipped\. None is pending any more\.\n$/);
});

test('a decision that somebody else changed since is not undone', async () => {
  const { api, ids, statuses, review } = await acme(2);
  const { stdout } = await review(
    (async function* () {
      yield 'a';
      await adminOf(api.table)('testimonial', 'reject', ids[0] ?? '', '--organization', 'acme');
      yield 'u';
      yield 'q';
    })(),
  );
  expect(stdout).toContain(`Somebody else was first: ${ids[0]} is rejected now.\n`);
  expect(await statuses()).toEqual(['rejected', 'pending']);
});

test('what others decide meanwhile is not shown, and what comes meanwhile comes at the end', async () => {
  const { api, ids, review } = await acme(4);
  const { stdout } = await review(
    (async function* () {
      await adminOf(api.table)('testimonial', 'approve', ids[2] ?? '', '--organization', 'acme');
      await api.create(testimonialBody({ content: 'Testimonial 5 of many' }));
      yield* ['a', 's', 'a', 'r'];
    })(),
  );
  expect(stdout.match(/Testimonial \d/g)).toEqual([1, 2, 4, 5].map((n) => `Testimonial ${n}`));
});

test('goes through more than one page, each once, with many that are skipped', async () => {
  const count = 110;
  const { api } = await acme(0);
  await Promise.all(
    Array.from({ length: count }, () => api.create(testimonialBody({ content: 'One of very many' }))),
  );
  const person = personWith({ keys: Array.from({ length: count }, (_, n) => (n % 3 === 0 ? 'a' : 's')) });
  const { stdout } = await adminOf(api.table, person)('testimonial', 'review', '--organization', 'acme');
  const ordinals = [...stdout.matchAll(/^│ test_\d{12}(\d+) {2}pending/gm)].map(([, ordinal]) =>
    Number(ordinal),
  );
  expect(ordinals).toEqual(Array.from({ length: count }, (_, n) => place(n + 1)));
  expect([...stdout.matchAll(/── (\d+) left/g)].map(([, left]) => Number(left))).toEqual(
    Array.from({ length: count }, (_, n) => count - n),
  );
  expect(stdout).toMatch(/\n37 approved, 0 rejected, 73 skipped\. 73 are still pending: .*\n$/);
});

test('--where narrows what is shown, and says so at the end', async () => {
  const { api, statuses } = await acme(3, (n) => ({ rating: n + 2 }));
  const run = (where: string) =>
    adminOf(
      api.table,
      personWith({ keys: ['a', 'a', 'a'] }),
    )(...['testimonial', 'review', '--organization', 'acme', '--where', where]);
  const { code, stdout } = await run('rating=4');
  expect(code).toBe(0);
  expect(stdout.match(/Testimonial \d|\d left/g)).toEqual([
    '2 left',
    'Testimonial 2',
    '1 left',
    'Testimonial 3',
  ]);
  expect(stdout).toMatch(/None that matches --where is pending any more\.\n$/);
  expect(await statuses()).toEqual(['pending', 'approved', 'approved']);
  expect((await run('status=approved')).stderr).toMatch(/^A review shows pending testimonials only/);
  expect((await run('ratin=4')).stderr).toMatch(/no parameter ratin/);
});

test('says so when nothing is pending', async () => {
  const { review } = await acme(0);
  expect(await review([])).toEqual({
    code: 0,
    stdout: 'No testimonial of acme is pending.\n',
    stderr: '',
  });
});

test('without a person at a terminal it names what works there', async () => {
  const { api } = await acme(1);
  for (const run of [
    await adminOf(api.table)('testimonial', 'review', '--organization', 'acme'),
    await adminOf(api.table, personWith({}))('testimonial', 'review', '--organization', 'acme', '--json'),
  ]) {
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr).toMatch(/^A review needs a person at a terminal\. .*testimonial list.*--where.*\n$/);
  }
});
