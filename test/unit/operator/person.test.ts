import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { personAt } from '../../../lib/operator/terminal/program-io.ts';

/** A terminal that a test types on. */
function terminal() {
  const modes: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), { setRawMode: (isRaw: boolean) => modes.push(isRaw) });
  const stdout = new PassThrough();
  // What a person at a terminal needs of the two.
  const person = personAt(stdin as unknown as NodeJS.ReadStream, stdout as unknown as NodeJS.WriteStream);
  const press = async (text: string) => {
    stdin.write(text);
    await turn();
    await turn();
  };
  return { person, press, stdin, modes };
}

test('keys come by their names', async () => {
  const { person, press } = terminal();
  const keys = person.keys();
  for (const [typed, name] of [
    ['a', 'a'],
    ['A', 'a'],
    ['\r', 'return'],
    ['\u0003', 'ctrl-c'],
    ['?', '?'],
    ['\u001B[A', 'up'],
  ] as const) {
    const next = keys.next();
    await press(typed);
    expect(await next).toEqual({ done: false, value: name });
  }
});

test('a key that was pressed before it was waited for counts for nothing', async () => {
  const { person, press } = terminal();
  const keys = person.keys();
  const first = keys.next();
  await press('abc');
  expect(await first).toMatchObject({ value: 'a' });
  await press('d');
  const second = keys.next();
  await press('e');
  expect(await second).toMatchObject({ value: 'e' });
});

test('Ctrl-C counts whenever it was pressed', async () => {
  const { person, press } = terminal();
  const keys = person.keys();
  const first = keys.next();
  await press('a\u0003b');
  expect(await first).toMatchObject({ value: 'a' });
  expect(await keys.next()).toMatchObject({ value: 'ctrl-c' });
});

test('keys end with the input, and give the terminal back', async () => {
  const { person, stdin, modes } = terminal();
  const keys = person.keys();
  const next = keys.next();
  stdin.end();
  expect(await next).toMatchObject({ done: true });
  expect(modes).toEqual([true, false]);
});

test('a terminal that does not tell its width is taken for one of 80 columns', () => {
  expect(terminal().person.columns()).toBe(80);
});
