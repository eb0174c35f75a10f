/** Reading the forms and URLs of the desk's pages. */
import type { Context } from 'hono';
import type { BodyData } from 'hono/utils/body';
import * as v from 'valibot';
import type { ListQuery } from '../../domain/list-query.ts';
import type { SeenVersion } from '../../domain/outcomes.ts';
import { type TestimonialChange, testimonialChange } from '../../domain/testimonial-change.ts';
import { isBlank } from '../../domain/visible-text.ts';
import { excerpt } from '../../domain/wording.ts';
import type { ErrorDetails } from '../../http/api-error.ts';
import { readListQuery } from '../../list-testimonials/parameters.ts';

/**
 * Invalid input, or a form that no page of this version contains. Its message is shown to the person at the
 * desk.
 */
export class BadForm extends Error {
  override name = 'BadForm';
  /** The invalid field. */
  readonly field: 'tags' | undefined;
  constructor(message: string, field?: 'tags') {
    super(message);
    this.field = field;
  }
}

/** A page or an action that the person at the desk may not use. */
export class NotAllowed extends BadForm {
  override name = 'NotAllowed';
}

/** The message for a form that no page of this version contains. */
export const outOfDateText = 'This form is out of date. Reload the page.';

export type FormBody = BodyData<{ all: true }>;

/** Returns a sentence about a typed text that breaks a rule. */
export function textProblem(what: 'name' | 'title', typed: string, rule: string): string {
  return isBlank(typed) ? `Enter a ${what}.` : `The ${what} ${rule}.`;
}

/** Reads the form of a request. A body that is not a form has no fields. */
export function formOf({ req }: Context): Promise<FormBody> {
  return req.parseBody({ all: true }).catch(() => ({}));
}

export function fieldTexts(body: FormBody, name: string): string[] {
  const value = body[name];
  return [value].flat().filter((each) => typeof each === 'string');
}

/** Returns the first text of a field, or an empty text. */
export function fieldText(body: FormBody, name: string): string {
  return fieldTexts(body, name)[0] ?? '';
}

const fieldsBefore = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.string()));

/**
 * Merges a form into the current values: takes the fields that the person has changed, and keeps the others
 * as they are now, because someone else may have saved them in the meantime.
 * @param body its field `before` has the values that the form showed, as JSON. Without it, all fields count
 * as changed
 */
export function mergedFields<Fields extends Record<string, string>>(
  body: FormBody,
  typed: Fields,
  current: Fields,
): Fields {
  const { success, output } = v.safeParse(fieldsBefore, fieldText(body, 'before'));
  if (!success) return typed;
  const all = Object.keys({ ...current, ...typed }).map((name) => [
    name,
    (typed[name] === output[name] ? current : typed)[name],
  ]);
  return Object.fromEntries(all.filter(([, value]) => value !== undefined)) as Fields; // of both
}

/** Returns the parameters of a URL that are in `names` and not empty. */
export function parametersIn(url: string, names: readonly string[]): URLSearchParams {
  const all = [...new URL(url).searchParams];
  return new URLSearchParams(all.filter(([name, value]) => value !== '' && names.includes(name)));
}

export function withQuery(path: string, search: URLSearchParams): string {
  return search.size === 0 ? path : `${path}?${search}`;
}

/**
 * Reads the parameters of a list, with the rules of the API.
 * @throws {BadForm} with a sentence for each invalid parameter
 */
export function listQueryOf(search: URLSearchParams): ListQuery {
  const read = readListQuery(search.toString());
  if ('query' in read) return read.query;
  throw new BadForm(problemSentences(read.wrong).join(' '));
}

/** Returns a sentence for each invalid parameter. */
export function problemSentences(wrong: ErrorDetails): string[] {
  return Object.entries(wrong).map(([name, rule]) => `${name} ${rule}.`);
}

/** Writes a testimonial's id and version into a form. */
export function seenValue({ id, updatedAt }: SeenVersion): string {
  return `${id}@${updatedAt}`;
}

/** @throws {BadForm} if the value is malformed */
export function readSeen(value: string): SeenVersion {
  const [, id, updatedAt] = /^(test_\d+)@(\S+)$/.exec(value) ?? [];
  if (id === undefined || updatedAt === undefined) throw new BadForm(outOfDateText);
  return { id, updatedAt };
}

// The number of characters shown of an invalid tag.
const tagShown = 20;

/** @throws {BadForm} with the invalid tag and the rule that it breaks */
export function readTagChange(typed: { addTags?: string[]; removeTags?: string[] }): TestimonialChange {
  const { success, output, issues } = v.safeParse(testimonialChange, typed, { abortPipeEarly: true });
  if (success) return output;
  const { path: [, tag] = [], message } = issues[0];
  throw new BadForm(
    `${tag ? `The tag “${excerpt(String(tag.value), tagShown)}”` : 'A change of tags'} ${message}.`,
    'tags',
  );
}

/** Returns the tags in a text, in which commas separate them. */
export function tagsIn(text: string): string[] {
  return text.split(',').filter((tag) => !isBlank(tag));
}

/**
 * Reads tags to add or remove.
 * @throws {BadForm} with the invalid tag and the rule that it breaks
 */
export function readTagging(field: 'addTags' | 'removeTags', text: string): TestimonialChange {
  const tags = tagsIn(text);
  if (tags.length === 0) throw new BadForm('Enter a tag first. Separate several tags with commas.', 'tags');
  return readTagChange({ [field]: tags });
}
