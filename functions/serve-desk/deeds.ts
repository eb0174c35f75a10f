/** What is done with testimonials of a list: with one, with those that are selected, or with all that match. */
import type { TestimonialChange } from '../domain/testimonial-change.ts';
import { type Desk, mayErase } from './desk.ts';
import { BadForm, readTagging } from './parts/forms.ts';

/** Each, what it changes, and how that is told. */
const deeds = {
  approve: { told: 'approved.', to: () => ({ status: 'approved' }) },
  reject: { told: 'rejected.', to: () => ({ status: 'rejected' }) },
  tag: { told: 'tagged.', to: (tags) => readTagging('addTags', tags) },
  untag: { told: 'rid of the tag.', to: (tags) => readTagging('removeTags', tags) },
  erase: { told: 'erased; the words leave the index within a minute.', to: () => 'erase' },
} as const satisfies Record<string, { told: string; to: (tags: string) => TestimonialChange | 'erase' }>;

export type Deed = keyof typeof deeds;

/** What is said of some testimonials with which it was done. */
export function toldOf(deed: Deed): string {
  return deeds[deed].told;
}

/** The deed of this name. */
export function deedOf(name: string): Deed {
  const found = (Object.keys(deeds) as Deed[]).find((each) => each === name);
  if (!found) throw new BadForm('The page asked for nothing that can be done.');
  return found;
}

/**
 * What it changes.
 * @param tags as they were typed
 * @throws {BadForm} where the person may not do it, or what was typed can be no tags
 */
export function changeOf(desk: Desk, deed: Deed, tags: string): TestimonialChange | 'erase' {
  if (deed === 'erase' && !mayErase(desk)) {
    throw new BadForm('You may not erase testimonials: ask whoever invited you.');
  }
  return deeds[deed].to(tags);
}
