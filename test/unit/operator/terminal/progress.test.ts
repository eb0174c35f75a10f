/** A terminal shows the progress of long work, with lines and with a bar. */
import { PassThrough } from 'node:stream';
import { expect, jest, test } from '@jest/globals';
import { personAt } from '../../../../lib/operator/terminal/program-io.ts';
import { longWork, showProgress } from '../../../../lib/operator/terminal/progress.ts';

function terminal() {
  const lines: string[] = [];
  const clock = { time: 0 };
  return { lines, clock, io: { printError: (line: string) => lines.push(line), clock: () => clock.time } };
}

test('a line is printed every five seconds, none before', () => {
  const { io, lines, clock } = terminal();
  const progress = showProgress(io);
  const step = { work: 'Storing', unit: 'testimonial' };
  for (clock.time = 0; clock.time <= 11_000; clock.time += 1000) progress.to(step, clock.time / 10, 2000);
  progress.end();
  expect(lines).toEqual(['Storing: 500 of 2,000 testimonials', 'Storing: 1,000 of 2,000 testimonials']);
});

test('without a total, a line contains only the count', () => {
  const { io, lines, clock } = terminal();
  const progress = showProgress(io);
  for (clock.time = 0; clock.time <= 6000; clock.time += 6000) {
    progress.to({ work: 'Reading', unit: 'testimonial' }, 1, 0);
  }
  expect(lines).toEqual(['Reading: 1 testimonial']);
});

test('each phase has its own words, and the result is returned', async () => {
  const { io, lines, clock } = terminal();
  const result = await longWork(io, '', async ({ progress }) => {
    for (const step of ['stored', 'indexed'] as const) {
      progress(0, 9, step);
      clock.time += 5000;
      progress(3, 9, step);
    }
    return 'done';
  });
  expect({ result, lines }).toEqual({
    result: 'done',
    lines: ['Storing: 3 of 9 testimonials', 'Indexing: 3 of 9 testimonials'],
  });
});

test('a removed bar does not overwrite later lines', async () => {
  jest.useFakeTimers();
  try {
    const { io } = terminal();
    let drawn = '';
    const barStream = new PassThrough() as unknown as NodeJS.WriteStream; // has all that a bar needs
    Object.assign(barStream, { isTTY: true, columns: 80 });
    barStream.on('data', (text) => {
      drawn += text;
    });
    await longWork({ ...io, barStream }, '', async ({ progress, onOtherRebuild }) => {
      progress(9, 9, 'checked');
      jest.advanceTimersByTime(1000);
      expect(drawn).toContain('Checking');
      onOtherRebuild();
      drawn = '';
      jest.advanceTimersByTime(10_000);
    });
    expect(drawn).toBe('');
  } finally {
    jest.useRealTimers();
  }
});

test('a terminal without a width has 80 columns', () => {
  // A person needs no more of the two streams.
  const stdin = new PassThrough() as unknown as NodeJS.ReadStream;
  const stdout = new PassThrough() as unknown as NodeJS.WriteStream;
  expect(personAt(stdin, stdout).columns()).toBe(80);
});
