/** How far long work is, where no bar can be drawn. */
import { PassThrough } from 'node:stream';
import { expect, jest, test } from '@jest/globals';
import { longWork, showProgress } from '../../../../lib/operator/terminal/progress.ts';

function terminal() {
  const lines: string[] = [];
  const clock = { time: 0 };
  return { lines, clock, io: { printError: (line: string) => lines.push(line), clock: () => clock.time } };
}

test('a line is told every five seconds, and none before', () => {
  const { io, lines, clock } = terminal();
  const progress = showProgress(io);
  const step = { work: 'Storing', unit: 'testimonial' };
  for (clock.time = 0; clock.time <= 11_000; clock.time += 1000) progress.to(step, clock.time / 10, 2000);
  progress.end();
  expect(lines).toEqual(['Storing: 500 of 2,000 testimonials', 'Storing: 1,000 of 2,000 testimonials']);
});

test('without a total only what is done is told', () => {
  const { io, lines, clock } = terminal();
  const progress = showProgress(io);
  for (clock.time = 0; clock.time <= 6000; clock.time += 6000) {
    progress.to({ work: 'Looking', unit: 'testimonial' }, 1, 0);
  }
  expect(lines).toEqual(['Looking: 1 testimonial']);
});

test('each step has its own words, and what the work returns is returned', async () => {
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

test('a bar that was taken away draws nothing over what is said then', async () => {
  jest.useFakeTimers();
  try {
    const { io } = terminal();
    let drawn = '';
    const barStream = new PassThrough() as unknown as NodeJS.WriteStream; // all that a bar needs of one
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
