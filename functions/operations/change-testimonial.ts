/** What an operator does with a testimonial: approving, rejecting, tagging. */
import type { ChangeKind } from '../domain/stored-testimonial.ts';
import type { TestimonialStore } from '../domain/stores.ts';
import type { Testimonial } from '../domain/testimonial.ts';
import { changed, type TestimonialChange } from '../domain/testimonial-change.ts';
import { findTestimonial } from './find-testimonial.ts';

/** The testimonial is no longer as somebody saw it who wanted to change it. */
export class TestimonialChanged extends Error {
  override name = 'TestimonialChanged';
  /** As it is now. */
  readonly testimonial: Testimonial;

  constructor(testimonial: Testimonial) {
    super(`Testimonial ${testimonial.id} was changed meanwhile: it is ${testimonial.status} now`);
    this.testimonial = testimonial;
  }
}

/** The condition that a testimonial is still as it was seen: each change moves updatedAt, and nothing else does. */
export function stillAs(seen: Pick<Testimonial, 'updatedAt'>): (current: Testimonial) => boolean {
  return (current) => current.updatedAt === seen.updatedAt;
}

/**
 * Changes a testimonial as it finds it, and moves its updatedAt forward, also where the change leaves all as it was. It may
 * stop after each step, or pause there for any time: the marker comes before the change, so that no list misses it, and a
 * change that comes after its marker was folded finds another version and begins again.
 * @param onlyIf what must hold of the testimonial as the change finds it
 * @throws {TestimonialNotFound}
 * @throws {TestimonialChanged} when that does not hold; then nothing was changed
 * @throws {TooManyTags} nothing was changed
 */
export async function changeTestimonial(
  { testimonials, now }: { testimonials: TestimonialStore; now: () => Date },
  organization: string,
  id: string,
  change: TestimonialChange,
  onlyIf: (current: Testimonial) => boolean = () => true,
): Promise<Testimonial> {
  for (let taken = 0; ; ) {
    const previous = await findTestimonial(testimonials, organization, id);
    const { ordinal, version, testimonial } = previous;
    // The change was made, and its answer was lost; also where somebody has changed it since.
    if ([previous.updateOrdinal, previous.previousUpdateOrdinal].includes(taken)) return testimonial;
    if (!onlyIf(testimonial)) throw new TestimonialChanged(testimonial);
    const next = changed(testimonial, change);
    const earliest = new Date(Math.max(now().getTime(), Date.parse(testimonial.updatedAt) + 1));
    const { updateOrdinal, time } = await testimonials.takeUpdateOrdinal(organization, earliest);
    const previousUpdateOrdinal = previous.updateOrdinal;
    const places = { updateOrdinal, previousUpdateOrdinal };
    const formerTags = testimonial.tags?.length ? { formerTags: testimonial.tags } : {};
    await testimonials.putChangeMarker(organization, { ...places, ordinal, version, time, ...formerTags });
    const updated = { ...next, updatedAt: time };
    const kind: ChangeKind = 'status' in change ? 'status' : 'tags';
    const stored = { ...previous, ...places, change: kind, testimonial: updated, version: version + 1 };
    if (await testimonials.replace(organization, previous, stored)) return updated;
    taken = updateOrdinal;
  }
}
