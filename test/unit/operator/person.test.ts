import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { personAt } from '../../../lib/operator/terminal/program-io.ts';

test('a terminal without a width has 80 columns', () => {
  // A person needs no more of the two streams.
  const stdin = new PassThrough() as unknown as NodeJS.ReadStream;
  const stdout = new PassThrough() as unknown as NodeJS.WriteStream;
  expect(personAt(stdin, stdout).columns()).toBe(80);
});
