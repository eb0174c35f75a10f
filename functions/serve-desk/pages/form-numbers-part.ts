/**
 * The number of testimonials from each form, and their average rating. The list index counts tags but not
 * forms, so a form is counted by a tag that no other form adds.
 */
import { html } from 'hono/html';
import { NotReady } from '../../domain/list-query.ts';
import type { Page } from '../../domain/page.ts';
import { limits } from '../../domain/testimonial.ts';
import { foldLabel } from '../../domain/visible-text.ts';
import { counted } from '../../domain/wording.ts';
import { readFormSettings } from '../../serve-pages/page-settings.ts';
import { averageStars } from '../parts/counts.ts';
import { type Desk, isOwner } from '../parts/desk.ts';
import type { Html } from '../parts/layout.ts';
import { deskPath } from '../parts/paths.ts';

/**
 * Each form costs one read unit for its page, and one or two for its posting in each 65,536 testimonials. All
 * postings are read at once.
 */
const maxForms = 20;

/** Returns the numbers of the first forms of the organization; empty if there is no form. */
export async function formNumbersPart(desk: Desk): Promise<Html | ''> {
  const pages = (await desk.stores.pages?.list(desk.organization)) ?? [];
  const all = pages.filter(({ kind }) => kind === 'form');
  if (all.length === 0) return '';
  const numbers = await formNumbers(desk, all);
  const notCounted = ({ id }: Page) =>
    isOwner(desk) ? html`<a href="${deskPath}/pages/${id}#page-tags">Add a tag</a>` : 'Not counted yet';
  const name = ({ id, title }: Page) =>
    isOwner(desk) ? html`<a href="${deskPath}/pages/${id}">${title}</a>` : title;
  return html`<section class="card"><h2>By form</h2>
    <p class="muted">${all.length > maxForms && `The oldest ${maxForms} forms. `}Give each form its own tag to see its numbers here.</p>
    <ul class="rows by-form">${Array.from(
      numbers,
      ([form, ofForm]) =>
        html`<li class="with-actions"><bdi>${name(form)}</bdi><p class="muted">${ofForm ?? notCounted(form)}</p></li>`,
    )}</ul></section>`;
}

/**
 * Returns the number of testimonials from each of the first forms, and their ratings. The result is undefined
 * for a form without a tag of its own.
 */
export async function formNumbers(
  desk: Desk,
  all: readonly Page[],
): Promise<Map<Page, Html | string | undefined>> {
  const forms = withOwnTags(all).slice(0, maxForms);
  const tags = forms.flatMap(({ tag }) => tag ?? []);
  const counts = await ratingsOf(desk, tags);
  const numbersOf = (tag?: string) => {
    if (tag === undefined) return undefined;
    return counts ? numbers(tag, counts[tags.indexOf(tag)] ?? []) : 'Being calculated. Reload in a minute.';
  };
  return new Map(forms.map(({ form, tag }) => [form, numbersOf(tag)]));
}

/** Returns each form with the first of its tags that no other form adds, if any. */
function withOwnTags(forms: readonly Page[]): { form: Page; tag?: string | undefined }[] {
  // Ignores invalid settings here; the form's editor reports them.
  const tagged = forms.map((form) => ({ form, tags: readFormSettings(form.settings, () => {}).tags }));
  const adding = (tag: string) => tagged.filter(({ tags }) => tags.map(foldLabel).includes(foldLabel(tag)));
  return tagged.map(({ form, tags }) => ({ form, tag: tags.find((tag) => adding(tag).length === 1) }));
}

/**
 * Counts the testimonials with each tag by rating. Returns undefined while the list index is rebuilt for it.
 */
async function ratingsOf({ testimonials }: Desk, tags: readonly string[]): Promise<number[][] | undefined> {
  try {
    return await testimonials.countRatings(tags.map((tag) => ({ tags: [tag] })));
  } catch (error) {
    if (error instanceof NotReady) return undefined;
    throw error;
  }
}

/** @param counts by rating, beginning with unrated */
function numbers(tag: string, counts: readonly number[]): Html | string {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return 'No testimonials yet';
  const average = averageStars(counts);
  return html`<a href="${deskPath}/list?tags=${encodeURIComponent(tag)}">${counted(total, 'testimonial')}</a>, ${
    average ? html`on average <strong>${average}</strong> of ${limits.rating.max} stars` : 'no ratings'
  }`;
}
