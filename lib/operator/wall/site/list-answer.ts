/** What a live wall reads of a service's answer. Nothing from the network is believed: texts are texts, and no more is read. */
import * as v from 'valibot';

const listAnswer = v.object({
  testimonials: v.array(
    v.object({
      id: v.string(),
      content: v.string(),
      author: v.object({ name: v.string(), company: v.exactOptional(v.string()) }),
      rating: v.exactOptional(v.pipe(v.number(), v.minValue(1), v.maxValue(5))),
      tags: v.array(v.string()),
      createdAt: v.pipe(v.string(), v.isoTimestamp()),
    }),
  ),
  pagination: v.object({ total: v.number(), hasNext: v.boolean() }),
});

/** @throws {ValiError} saying what was not as it should be */
export function readListAnswer(answer: unknown): v.InferOutput<typeof listAnswer> {
  return v.parse(listAnswer, answer);
}
