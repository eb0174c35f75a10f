/** What the forms and addresses of a desk's pages say. */
import type { Context } from 'hono';
import type { BodyData } from 'hono/utils/body';
import * as v from 'valibot';
import type { ListQuery } from '../../domain/list-query.ts';
import { type TestimonialChange, testimonialChange } from '../../domain/testimonial-change.ts';
import type { ErrorDetails } from '../../http/api-error.ts';
import { readListQuery } from '../../list-testimonials/parameters.ts';
import type { Seen } from '../../operations/attempts.ts';

/** A page was asked for what no page of a desk asks for, or somebody typed what cannot be; the message says what. */
export class BadForm extends Error {
  override name = 'BadForm';
}

/** What is said of a form that no page makes. */
export const nothingText = 'The page asked for nothing that can be done.';

export type FormBody = BodyData<{ all: true }>;

/** The form that was sent; what is none has no fields. */
export function formOf({ req }: Context): Promise<FormBody> {
  return req.parseBody({ all: true }).catch(() => ({}));
}

/** The texts that were sent for a field. */
export function textsOf(body: FormBody, name: string): string[] {
  const value = body[name];
  return [value].flat().filter((each) => typeof each === 'string');
}

/** The text that was sent for a field, or an empty one. */
export function textOf(body: FormBody, name: string): string {
  return textsOf(body, name)[0] ?? '';
}

/** The parameters in an address that have one of some names and are not empty, each as often as it was given. */
export function parametersIn(address: string, names: readonly string[]): URLSearchParams {
  const all = [...new URL(address).searchParams];
  return new URLSearchParams(all.filter(([name, value]) => value !== '' && names.includes(name)));
}

/** The address of a page with these parameters. */
export function addressOf(path: string, search: URLSearchParams): string {
  return search.size === 0 ? path : `${path}?${search}`;
}

/**
 * The list that parameters ask for, as the API reads them.
 * @throws {BadForm} naming what is wrong with each
 */
export function listQueryOf(search: URLSearchParams): ListQuery {
  const read = readListQuery(search.toString());
  if ('query' in read) return read.query;
  throw new BadForm(linesOf(read.wrong).join(' '));
}

/** What is wrong with parameters, a line each. */
export function linesOf(wrong: ErrorDetails): string[] {
  return Object.entries(wrong).map(([name, rule]) => `${name} ${rule}.`);
}

/** A testimonial as it is shown, for a form to send back. */
export function seenValue({ id, updatedAt }: Seen): string {
  return `${id}@${updatedAt}`;
}

/** @throws {BadForm} */
export function readSeen(value: string): Seen {
  const [, id, updatedAt] = /^(test_\d+)@(\S+)$/.exec(value) ?? [];
  if (id === undefined || updatedAt === undefined) throw new BadForm('The page sent no testimonial.');
  return { id, updatedAt };
}

/** @throws {BadForm} naming the tag that cannot be, and the rule */
export function readTagChange(typed: { addTags?: string[]; removeTags?: string[] }): TestimonialChange {
  const { success, output, issues } = v.safeParse(testimonialChange, typed, { abortPipeEarly: true });
  if (success) return output;
  const { path: [, tag] = [], message } = issues[0];
  throw new BadForm(`${tag ? `The tag “${tag.value}”` : 'A change of tags'} ${message}.`);
}

/**
 * A change of tags, which people type separated by commas.
 * @throws {BadForm}
 */
export function readTagging(field: 'addTags' | 'removeTags', text: string): TestimonialChange {
  const given = text.split(',').filter((each) => each.trim() !== '');
  if (given.length === 0) throw new BadForm('Type a tag first; several are separated by commas.');
  return readTagChange({ [field]: given });
}
