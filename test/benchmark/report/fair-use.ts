/** What an organization's budget is worth: requests a minute, by what each costs. */
import { gzipSync } from 'node:zlib';
import * as v from 'valibot';
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import { newPostings } from '../../../functions/fair-use/new-postings.ts';
import { costOf, dollarsOf, type Usage } from '../../../functions/fair-use/prices.ts';
import { contextValues } from '../../../lib/infrastructure/context.ts';
import { Dice } from '../../../lib/operator/sample-data/generate-testimonials.ts';
import { chineseText, generateTestimonials } from '../../zipf/generate-testimonials.ts';
import { newlyStored } from '../creates.ts';
import { chineseLetters } from '../index-updates.ts';
import { writeUnitsOf } from '../write-units.ts';
import { dollars, number, table } from './markdown.ts';
import { indexUpdateDollars, modelMs, modelRoundMs, price } from './model.ts';
import type { Results } from './results.ts';

const shownLists = [
  'approved, first page',
  'a common word (the)',
  'every filter, two tags, two wide prefixes',
  'every filter, 20 tags, 20 beginnings of three letters',
];

const together = 1000;

// What the headers of an answer have, Link among them.
const headerBytes = 500;
const pageBody = Buffer.from(
  JSON.stringify(Array.from(generateTestimonials(25, { seed: 7 }), ({ testimonial }) => testimonial)),
);
const pageBytes = gzipSync(pageBody).length + headerBytes;
const createdBytes = pageBody.length / 25 + headerBytes;
const ordinary = Array.from(generateTestimonials(together, { seed: 99 }), ({ testimonial }) => testimonial);
const nothing: Usage = {
  bytesIn: 0,
  bytesOut: 0,
  milliseconds: 0,
  readUnits: 0,
  writeUnits: 0,
  postings: 0,
};
const budget = v.parse(contextValues.organizationBudget, undefined);

export function fairUseSection(results: Results): string {
  const rows = [...listRows(results), ...createRows(results)];
  return `## What a budget is worth

An organization's requests may cost ${dollars(budget)} a minute ([how](operations.md#fair-use)). Each is charged what
it costs here, with the time of the [model](#how-it-is-measured), ${dollars(1)} a million for the gateway, and the bytes of its answer:
a page of 25 has ${number(pageBytes)}, compressed from ${number(pageBody.length)}. A create is also
charged a read and a write unit for each posting that its words need and that no other create of the last 12 seconds in the same
function did.

${table(
  ['Request', 'Testimonials', 'Postings charged', 'Dollars a million', 'A minute', 'A second'],
  rows.map(({ name, size, usage }) => {
    const cost = dollarsOf(costOf(usage));
    const minute = Math.floor(budget / cost);
    return [
      name,
      size === undefined ? '' : number(size),
      usage.postings > 0 ? number(usage.postings) : '',
      dollars(cost * 1e6),
      number(minute),
      number(Math.floor(minute / 6) / 10),
    ];
  }),
)}

${estimateText(results)}`;
}

interface Row {
  name: string;
  size?: number;
  usage: Usage;
}

function listRows({ lists, sizes }: Results): Row[] {
  return shownLists.flatMap((name) =>
    sizes.flatMap((size) => {
      const result = lists.find((each) => each.list.name === name && each.size === size);
      if (!result) return [];
      const { units: readUnits } = result.cost;
      const usage = { ...nothing, readUnits, bytesOut: pageBytes, milliseconds: modelMs(result) };
      return [{ name, size, usage }];
    }),
  );
}

function createRows({ creates }: Results): Row[] {
  const [create, , replay] = creates;
  if (!create || !replay) return [];
  const usageOf = ({ rounds, readUnits, writeUnits, indexWriteUnits }: typeof create, postings = 0) => ({
    ...{ ...nothing, bytesOut: createdBytes, milliseconds: rounds * modelRoundMs },
    ...{ readUnits, writeUnits: writeUnits + indexWriteUnits, postings },
  });
  /** A create of this text alone. */
  const rowOf = (name: string, content: string): Row => {
    const testimonial = { ...(ordinary[0] as Testimonial), content }; // there are a thousand
    const { table: own, indexes } = writeUnitsOf(undefined, newlyStored(testimonial));
    return {
      name,
      usage: { ...usageOf(create, postingsOf([testimonial])), writeUnits: 1 + own + indexes },
    };
  };
  return [
    { name: 'a create repeated with its key', usage: usageOf(replay) },
    {
      name: `a create, ${number(together)} in 12 s in one function`,
      usage: usageOf(create, postingsOf(ordinary) / together),
    },
    { name: 'a create alone', usage: usageOf(create, postingsAlone()) },
    rowOf(`a create of ${chineseLetters} Chinese letters alone`, chineseText(chineseLetters, new Dice(27))),
    rowOf(
      'a create of 10,000 different Chinese letters',
      Array.from({ length: 10_000 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join(''),
    ),
  ];
}

/** The estimate beside what index updates were measured to cost. */
function estimateText({ indexUpdates, sizes }: Results): string {
  const smallest = Math.min(...sizes);
  const measured = indexUpdates.filter(({ size, what }) => size === smallest && what.includes('create'));
  const estimated = (postings: number) => dollars(postings * (price.readUnit + price.writeUnit));
  const of = measured.map(
    (indexUpdate) =>
      `${dollars(indexUpdateDollars(indexUpdate))} (${indexUpdate.what}, on top of ${number(smallest)})`,
  );
  return `The estimate for a million creates comes to ${estimated(postingsOf(ordinary) / together)} together and ${estimated(postingsAlone())} alone;
index updates were measured to cost ${of.join(' and ')}, for a tail of 16 KB is indexed together.`;
}

/** The postings that creates within one window need. */
function postingsOf(testimonials: readonly Testimonial[]): number {
  const now = new Date();
  const count = newPostings(() => now);
  return testimonials.reduce((sum, testimonial) => sum + count('bench', testimonial).count, 0);
}

function postingsAlone(): number {
  const alone = ordinary.map((testimonial) => postingsOf([testimonial]));
  return alone.reduce((sum, each) => sum + each, 0) / together;
}
