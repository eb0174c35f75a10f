import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { personAt } from '../../../lib/operator/terminal/program-io.ts';

test('a terminal that does not tell its width is taken for one of 80 columns', () => {
  // What a person at a terminal needs of the two streams.
  const stdin = new PassThrough() as unknown as NodeJS.ReadStream;
  const stdout = new PassThrough() as unknown as NodeJS.WriteStream;
  expect(personAt(stdin, stdout).columns()).toBe(80);
});
