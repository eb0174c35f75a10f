/** The desk's page that adds a testimonial that arrived in another way, such as by e-mail. */
import { randomInt } from 'node:crypto';
import type { Context } from 'hono';
import { html } from 'hono/html';
import { Hono } from 'hono/tiny';
import * as v from 'valibot';
import { IdempotencyKeyReused } from '../../domain/outcomes.ts';
import { isRandomId, makeRandomId } from '../../domain/page.ts';
import { source, testimonialInput } from '../../domain/testimonial.ts';
import { isBlank } from '../../domain/visible-text.ts';
import { capital } from '../../domain/wording.ts';
import { describeIssues } from '../../http/validate.ts';
import { replacesMain } from '../parts/cards.ts';
import type { DeskEnv, DeskPages } from '../parts/desk.ts';
import { field } from '../parts/field.ts';
import { BadForm, type FormBody, fieldText, formOf, outOfDateText } from '../parts/forms.ts';
import { redirectWithNote } from '../parts/note.ts';
import { deskPath } from '../parts/paths.ts';
import { showPage } from '../parts/show-page.ts';

export const addPath = `${deskPath}/add`;

/** The fields by their names in the API's `details`, in their order on the page. */
const fields = {
  content: { label: 'What they said', isLong: true },
  'author.name': { label: 'Name' },
  'author.email': {
    label: 'E-mail address',
    hint: 'Visitors never see it.',
    isAddress: true,
  },
  'author.role': { label: 'Job title (optional)' },
  'author.company': { label: 'Company (optional)' },
  rating: { label: 'Stars (optional)', options: ['', '5', '4', '3', '2', '1'], none: 'Unrated' },
  tags: {
    label: 'Tags (optional)',
    hint: 'Separated by commas. Visitors see the tags of approved testimonials.',
  },
  source: {
    label: 'Where it came from (optional)',
    hint: 'Such as “E-mail of March 4” or a URL. Only the desk shows it.',
  },
} as const;

/** The sentence for each required field that is empty. */
const missingTexts: Record<string, string> = {
  content: 'Write what they said.',
  'author.name': 'Enter a name.',
  'author.email': 'Enter an e-mail address.',
};

type FieldName = keyof typeof fields;

const names = Object.keys(fields) as FieldName[]; // of a constant

const added = v.object({ ...testimonialInput.entries, source: v.exactOptional(source) });

/** The typed values, and the rule that each field breaks. */
interface TypedTestimonial {
  key: string;
  typed?: (name: FieldName) => string;
  wrong?: Record<string, string>;
}

export const addPages: DeskPages = new Hono<DeskEnv>()
  .get('/', (c) => show(c, { key: makeRandomId(randomInt) }))
  .post('/', async (c) => {
    const { desk } = c.var;
    const body = await formOf(c);
    const key = fieldText(body, 'key');
    if (!isRandomId(key)) throw new BadForm(outOfDateText);
    const typed = (name: FieldName) => fieldText(body, name);
    const { success, output, issues } = v.safeParse(added, inputOf(body), { abortPipeEarly: true });
    if (!success) return show(c, { key, typed, wrong: describeIssues(issues) });
    const { source, ...input } = output;
    const name = input.author.name;
    try {
      await desk.testimonials.create(input, {
        idempotencyKey: `desk ${key}`,
        isCorrectable: true,
        ...(source !== undefined && { source }),
      });
    } catch (error) {
      if (!(error instanceof IdempotencyKeyReused)) throw error;
      // The person went back to the form that was sent.
      const why =
        error.reason === 'erased'
          ? 'you added this testimonial, and it was erased since. To add it once more, press “Add testimonial” again'
          : 'you already added a testimonial with this form. To add this one as well, press “Add testimonial” again';
      const wrong = { content: why };
      return show(c, { key: makeRandomId(randomInt), typed, wrong });
    }
    return redirectWithNote(
      c,
      `${deskPath}/list?status=pending`,
      `${name}’s testimonial was added to the queue.`,
    );
  });

function inputOf(body: FormBody): object {
  const text = (name: FieldName) => {
    const value = fieldText(body, name);
    return isBlank(value) ? {} : { [name.split('.').at(-1) ?? name]: value };
  };
  const tags = fieldText(body, 'tags')
    .split(',')
    .filter((tag) => !isBlank(tag));
  const rating = fieldText(body, 'rating');
  return {
    ...text('content'),
    author: {
      ...text('author.name'),
      ...text('author.email'),
      ...text('author.role'),
      ...text('author.company'),
    },
    ...(rating !== '' && { rating: Number(rating) }),
    ...(tags.length > 0 && { tags }),
    ...text('source'),
    type: 'text',
  };
}

function sentenceOf(name: FieldName, rule: string): string {
  if (rule === 'is required') return missingTexts[name] ?? '';
  return rule && `${capital(rule)}.`;
}

function show(
  c: Context<DeskEnv>,
  { key, typed = () => '', wrong = {} }: TypedTestimonial,
): Promise<Response> {
  const problems = Object.entries(wrong);
  // The rule of a single tag names its index.
  const problemOf = (name: FieldName) =>
    problems.find(([at]) => at === name || at.startsWith(`${name}.`))?.[1] ?? '';
  const control = (name: FieldName) =>
    field({
      ...fields[name],
      id: `add-${name.replace('.', '-')}`,
      name,
      value: typed(name),
      problem: sentenceOf(name, problemOf(name)),
    });
  const main = html`<p><a class="back" href="${deskPath}/list">All testimonials</a></p>
  <h1>Add a testimonial</h1>
  <p class="muted">For praise that came by e-mail, in a chat or in person. Ask the author for permission before you publish it. It goes to the queue first.</p>
  <form method="post" action="${addPath}" class="settings pairs card" ${replacesMain}>
    <input type="hidden" name="key" value="${key}">
    ${names.map(control)}
    <div class="buttons form-foot"><button class="solid">Add testimonial</button>
      <a class="button quiet" href="${deskPath}/list">Cancel</a></div>
  </form>`;
  return showPage(c, 'list', main, {
    title: 'Add a testimonial',
    ...(problems.length > 0 && ({ status: 422 } as const)),
  });
}
