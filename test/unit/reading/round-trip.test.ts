/** The law of exports: importing one into an empty organization reproduces every list. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import {
  statuses,
  type Testimonial,
  type TestimonialInput,
  testimonialInput,
  testimonialTypes,
} from '../../../functions/domain/testimonial.ts';
import { exportText } from '../../../functions/reading/export.ts';
import { exportFormats } from '../../../functions/reading/formats.ts';
import { readAllOn } from '../../../functions/testimonials/read-all.ts';
import { fileOf } from '../../file-of.ts';
import { runsOf } from '../../some-of.ts';
import { input, query } from '../../world/arbitraries.ts';
import { type Action, nth } from '../../world/histories.ts';
import { createImportWorld, type ImportWorld } from '../../world/import-world.ts';
import type { World } from '../../world/world.ts';

const runs = runsOf(8);

/** Texts that a format, a spreadsheet or a line reader could misread. */
const hostile = fc.constantFrom(
  ...`=1+1¦'=1+1¦''¦-¦+49 30 1234¦@jane¦＝1¦"quoted"¦";"¦a,b;c|d\te¦a;=1+1,'-2|\t@x¦''\n\n'' + more`.split(
    '¦',
  ),
  ...`two\nlines¦\u2028separated\u2029¦\u0085¦x\ufeff¦{"content":1}¦__proto__¦\ufffd¦0¦5.0¦#¦\\n`.split('¦'),
);
const text = fc.tuple(hostile, fc.constantFrom(' is what they say', ' = fine')).map(([a, b]) => `${a}${b}`);
/** A testimonial as a create stores it. */
const testimonial = fc
  .oneof(
    input.map((each) => ({ ...each, content: `${each.content}, as we say` })),
    fc.record(
      {
        content: text,
        author: fc.record(
          { name: hostile, email: fc.constantFrom('+jane@example.com', '-@example.com'), company: hostile },
          { requiredKeys: ['name', 'email'] },
        ),
        type: fc.constantFrom(...testimonialTypes),
        rating: fc.integer({ min: 1, max: 5 }),
        tags: fc.uniqueArray(fc.constantFrom('=tag', '-', "'", '"', 'two\nlines', 'größe'), { maxLength: 3 }),
      },
      { requiredKeys: ['content', 'author', 'type'] },
    ),
  )
  .map((each) => v.safeParse(testimonialInput, each))
  .filter(({ success }) => success)
  .map(({ output }) => output as TestimonialInput); // those that keep the rules

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.tuple(testimonial, fc.stringMatching(/^[0-9A-Za-z]{22}$/)).map(
      ([each, page]) =>
        (world: World) =>
          world.create(each, { form: page }),
    ),
  },
  { weight: 6, arbitrary: testimonial.map((each) => (world: World) => world.create(each)) },
  {
    weight: 3,
    arbitrary: fc.tuple(nth, fc.constantFrom(...statuses)).map(([i, status]) => async (world: World) => {
      const chosen = await world.nth(i);
      if (chosen) await world.setStatus(chosen.id, status);
    }),
  },
  {
    weight: 1,
    arbitrary: nth.map((i) => async (world: World) => {
      const chosen = await world.nth(i);
      if (chosen) await world.erase(chosen.id);
    }),
  },
  { weight: 1, arbitrary: fc.constant((world: World) => world.advance(15_000)) },
  { weight: 1, arbitrary: fc.constant((world: World) => world.updateIndex()) },
);

/** The text of an export. */
async function exported({ backend, organization }: ImportWorld, format: (typeof exportFormats)[number]) {
  const pages = readAllOn(backend.testimonials)(organization);
  return (await Array.fromAsync(exportText(pages, format))).join('');
}

/** The page and the time of consent, by id. */
const consents = async (world: ImportWorld) =>
  (await world.stored()).map(({ testimonial: { id }, consent }) => [id, consent]);

/** The testimonials as a list shows them. */
const shown = ({ testimonials, total }: { testimonials: Testimonial[]; total: number }) => ({
  testimonials: testimonials.map(({ tags = [], ...each }) => ({ ...each, tags })),
  total,
});

/** Someone has written the headings anew. */
const inCapitals = (csv: string) => csv.replace(/.*/, (headings) => headings.toUpperCase());

test.each([
  ...exportFormats.map((format) => [format, 'as it is', (text: string) => text] as const),
  ['csv', 'with its headings in capitals', inCapitals] as const,
])('in the format %s, %s', async (format, _, edited) => {
  const histories = fc.array(action, { minLength: 1, maxLength: 40, size: 'max' });
  const queries = fc.array(query, { minLength: 10, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(histories, queries, async (actions, asked) => {
      const source = await createImportWorld();
      for (const each of actions) await each(source);
      const file = await fileOf(edited(await exported(source, format)));
      const target = await createImportWorld();
      target.advance(24 * 3_600_000);
      const good = (await source.stored()).length;
      const importing = target.import({ file, format });
      if (good === 0) return expect(importing).rejects.toThrow('Nothing was imported.');
      expect(await importing).toMatchObject({
        good,
        rejected: 0,
        reasons: [],
        keepsTimes: true,
        ids: 'kept',
      });
      expect(await consents(target)).toEqual(await consents(source));
      for (const each of asked) {
        expect(shown(await target.list(each))).toEqual(shown(await source.expected(each)));
      }
      await target.settleForGood();
      expect(await target.differences()).toEqual([]);
      expect((await target.counts()).found).toEqual((await source.counts()).expected);
    }),
    { numRuns: runs },
  );
});
