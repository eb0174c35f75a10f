/** What became of what a form asked for, in the address of the list that it leads to: a reload shows it and asks for nothing. */
import { html } from 'hono/html';
import * as v from 'valibot';
import type { Tally } from '../../../../functions/operations/attempts.ts';
import { counted } from '../../terminal/formatting.ts';
import type { Html } from './layout.ts';

/** What can be done to testimonials by a form, as it is told. */
const deeds = {
  approve: 'approved',
  reject: 'rejected',
  tag: 'tagged',
  untag: 'rid of the tag',
  erase: 'erased; the words leave the index within a minute',
} as const;

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

const told = v.object({
  action: v.picklist(Object.keys(deeds) as (keyof typeof deeds)[]), // of the table
  ...{ done: count, already: count, absent: count, tooManyTags: count },
  /** Ids of what somebody else had changed since it was shown. */
  conflict: v.array(v.string()),
});

export type Told = v.InferOutput<typeof told>;

/** The address of a list that tells what became of an action. */
export function listThatTells(back: string, action: Told['action'], tally: Tally): string {
  const { done, already, absent, tooManyTags, conflict } = tally;
  const counts = {
    ...{ done: done.length, already: already.length },
    ...{ absent: absent.length, tooManyTags: tooManyTags.length },
  };
  const search = new URLSearchParams(back);
  search.set('told', JSON.stringify({ action, ...counts, conflict } satisfies Told));
  return `/list?${search}`;
}

/** What an address tells; undefined where it does not. */
export function toldIn(address: string): Told | undefined {
  const text = new URL(address).searchParams.get('told');
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), told), text);
  return read.success ? read.output : undefined;
}

/** A line for each number, of those that are not 0. */
export function toldLines({ action, done, already, absent, tooManyTags }: Told): Html[] {
  const lines = [
    { number: done, text: `${deeds[action]}.` },
    { number: already, text: 'left as before: nothing was to be changed.' },
    { number: absent, text: 'not there any more.' },
    { number: tooManyTags, text: 'would have too many tags: nothing was changed.' },
  ];
  return lines.flatMap(({ number, text }) =>
    number === 0 ? [] : html`<p class="notice">${counted(number, 'testimonial')} ${text}</p>`,
  );
}
