/** What the forms of a desk send. */
import type { BodyData } from 'hono/utils/body';
import * as v from 'valibot';
import { tag as tagSchema } from '../../../../functions/domain/testimonial.ts';
import type { Seen } from '../../moderation/change-seen.ts';

/** A form sent what no page of a desk sends, or somebody typed what cannot be; the message says what. */
export class BadForm extends Error {
  override name = 'BadForm';
}

export type FormBody = BodyData<{ all: true }>;

/** The texts that were sent for a field. */
export function textsOf(body: FormBody, name: string): string[] {
  const value = body[name];
  return [value].flat().filter((each) => typeof each === 'string');
}

/** The text that was sent for a field, or an empty one. */
export function textOf(body: FormBody, name: string): string {
  return textsOf(body, name)[0] ?? '';
}

/** A testimonial as it is shown, for a form to send back. */
export function seenValue({ id, updatedAt }: Seen): string {
  return `${id}@${updatedAt}`;
}

/** @throws {BadForm} */
export function readSeen(values: readonly string[]): Seen[] {
  return values.map((value) => {
    const [, id, updatedAt] = /^(test_\d+)@(\S+)$/.exec(value) ?? [];
    if (id === undefined || updatedAt === undefined) throw new BadForm('The page sent no testimonial.');
    return { id, updatedAt };
  });
}

/**
 * Tags as people type them: separated by commas.
 * @throws {BadForm}
 */
export function readTags(text: string): string[] {
  const given = text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  if (given.length === 0) throw new BadForm('Type a tag first; several are separated by commas.');
  return given.map((each) => {
    const result = v.safeParse(tagSchema, each);
    if (!result.success) throw new BadForm(`The tag “${each}” ${result.issues[0].message}.`);
    return result.output;
  });
}
