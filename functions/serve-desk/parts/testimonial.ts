/** The parts of a testimonial on the desk's pages. */

import { html } from 'hono/html';
import { expectNoOthers } from '../../domain/expect-no-others.ts';
import type { TestimonialRecord } from '../../domain/outcomes.ts';
import { pathOfPage } from '../../domain/page.ts';
import type { Testimonial } from '../../domain/testimonial.ts';
import { capital, minuteOf } from '../../domain/wording.ts';
import { mediaView } from '../../media/media-view.ts';
import type { Desk } from './desk.ts';
import { seenValue } from './forms.ts';
import type { Html } from './layout.ts';
import { affiliation } from './marks.ts';
import { deskPath } from './paths.ts';

/** Returns the author without the e-mail address, which `moreDetails` shows. */
export function byline({ author }: Testimonial): Html {
  const { name, email, role, company, ...others } = author;
  expectNoOthers(others);
  return html`<bdi>${name}</bdi>${affiliation(author)}`;
}

/** The path of photos and recordings, including unapproved ones. */
export const deskMediaPath = `${deskPath}/m`;

/** Returns the photo of the author, next to the name; empty if there is none. */
export function photo({ media, organization }: Desk, testimonial: Testimonial): Html | '' {
  const { photo } = (media && mediaView(organization, testimonial, deskMediaPath)) ?? {};
  return photo
    ? html`<img class="photo" src="${photo.url}" alt="" width="44" height="44" loading="lazy">`
    : '';
}

/** Returns the recording in a player, and a link to media elsewhere; empty without both. */
export function player({ media, organization }: Desk, testimonial: Testimonial): Html | '' {
  const view = mediaView(organization, testimonial, deskMediaPath);
  if (!view) return '';
  const { photo: _, recording, url, ...others } = view;
  expectNoOthers(others);
  const { name } = testimonial.author;
  const source =
    recording && html`src="${recording.url}" controls preload="none" aria-label="Recording of ${name}"`;
  const isVideo = recording?.type.startsWith('video/');
  const shown = isVideo
    ? html`<video ${source} playsinline ${recording?.poster && html`poster="${recording.poster}"`}></video>`
    : html`<audio ${source}></audio>`;
  return html`<div class="media">${media && recording && shown}${url !== undefined && html`<p><a href="${url}" target="_blank" rel="noopener noreferrer">${url}</a></p>`}</div>`;
}

export function content({ content: text }: Testimonial): Html {
  return html`<p class="content" dir="auto">${text}</p>`;
}

/** Returns the text. The style sheet cuts off a long text until `moreDetails` is open. */
export function contentPart({ content: text }: Testimonial): Html {
  return html`<p class="content excerpt" dir="auto">${text}</p>`;
}

export function tagList({ tags = [] }: Testimonial): Html | '' {
  if (tags.length === 0) return '';
  return html`<ul class="tags" aria-label="Tags">${tags.map((tag) => html`<li><a href="${deskPath}/list?${new URLSearchParams({ tags: tag })}"><bdi>${tag}</bdi></a></li>`)}</ul>`;
}

/** Returns a time in UTC, which a script shows in the reader's time zone. */
export function minute(time: string): Html {
  return html`<time datetime="${time}">${minuteOf(time)}</time>`;
}

/** The parts of a stored testimonial that lists do not contain. */
export interface TestimonialFacts extends Pick<TestimonialRecord, 'decision' | 'source'> {
  consent?: { at: string; form: string };
}

/** Returns the date of a time in UTC, which a script shows in the reader's time zone. */
export function day(time: string): Html {
  return html`<time datetime="${time}" data-day>${time.slice(0, 'YYYY-MM-DD'.length)}</time>`;
}

interface More {
  record?: TestimonialFacts | undefined;
  /**
   * The id of the form whose button finds everything by the same person. If absent, there is no such button.
   */
  form?: string;
  /** Another button below the facts. */
  button?: Html;
}

/**
 * Everything about a testimonial that the other parts do not show and, if known, who set the status, when the
 * author gave consent, and its origin.
 */
export function moreDetails(
  testimonial: Testimonial,
  { record: { decision, consent, source } = {}, form, button }: More,
): Html {
  const {
    id,
    type,
    createdAt,
    updatedAt,
    status,
    author,
    content,
    rating,
    tags,
    media: _,
    ...others
  } = testimonial;
  expectNoOthers(others);
  const { name, email } = author;
  const decidedBy = decision && (decision.by || decision.id);
  const fact = (label: string, value: Html | string) => html`<dt>${label}</dt><dd>${value}</dd>`;
  return html`<details class="more"><summary>More<span class="visually-hidden"> about ${name}’s testimonial</span></summary><dl>
    ${fact('E-mail', html`<bdi>${email}</bdi>`)}
    ${fact('Type', capital(type))}
    ${fact('Created', minute(createdAt))}
    ${minuteOf(updatedAt) !== minuteOf(createdAt) && fact('Changed', minute(updatedAt))}
    ${decidedBy && fact(status === 'pending' ? 'Back to pending' : capital(status), html`by <bdi>${decidedBy}</bdi>, ${minute(decision.at)}`)}
    ${consent && fact('Consent', html`${minute(consent.at)}, in <a href="${consent.form}">this form</a>`)}
    ${source !== undefined && fact('Source', html`<bdi>${source}</bdi>`)}
    ${fact('Id', html`<span class="id">${id}</span>`)}
  </dl><div class="buttons">
    <button type="button" class="small" data-copy data-author="${[name, author.role, author.company].filter((each) => each !== undefined).join(', ')}" hidden>Copy as text</button>
    ${form && html`<button type="submit" form="${form}" formaction="${deskPath}/author" name="email" value="${email}" class="small">All by this person</button>`}
    ${button}</div></details>`;
}

/** Reads the records of testimonials, by id. */
export async function factsOf(
  { testimonials: stored, serviceUrl }: Desk,
  testimonials: readonly Testimonial[],
): Promise<Map<string, TestimonialFacts>> {
  const ids = testimonials.map(({ id }) => id);
  const rows = await stored.findMany(ids, { consistent: false });
  // The records may be older than the list.
  const versions = new Set(testimonials.map(seenValue));
  return new Map(
    rows.map(({ testimonial, decision, consent, source }) => {
      const form = consent && serviceUrl + pathOfPage({ kind: 'form', id: consent.page });
      return [
        testimonial.id,
        {
          ...(decision && versions.has(seenValue(testimonial)) && { decision }),
          ...(form && { consent: { at: consent.at, form } }),
          ...(source !== undefined && { source }),
        },
      ];
    }),
  );
}
