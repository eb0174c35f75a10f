/** What is done with testimonials of a list: with one, with those that are selected, or with all that match. */
import type { TestimonialChange } from '../domain/testimonial-change.ts';
import { type Desk, mayErase } from './parts/desk.ts';
import { BadForm, nothingText, readTagging } from './parts/forms.ts';

/** Each, how it is told of some testimonials, and what it changes. */
const deeds: Record<string, { told: string; to: (tags: string) => Deed['to'] }> = {
  approve: { told: 'approved.', to: () => ({ status: 'approved' }) },
  reject: { told: 'rejected.', to: () => ({ status: 'rejected' }) },
  tag: { told: 'tagged.', to: (tags) => readTagging('addTags', tags) },
  untag: { told: 'rid of the tag.', to: (tags) => readTagging('removeTags', tags) },
  erase: { told: 'erased; the words leave the index within a minute.', to: () => 'erase' },
};

export interface Deed {
  name: string;
  told: string;
  to: TestimonialChange | 'erase';
}

/**
 * The deed of a name.
 * @param tags as they were typed
 * @throws {BadForm} where there is none, the person may not do it, or what was typed can be no tags
 */
export function readDeed(desk: Desk, name: string, tags: string): Deed {
  const found = Object.hasOwn(deeds, name) ? deeds[name] : undefined;
  if (!found) throw new BadForm(nothingText);
  if (name === 'erase' && !mayErase(desk)) {
    throw new BadForm('You may not erase testimonials: ask whoever invited you.');
  }
  return { name, told: found.told, to: found.to(tags) };
}
