/** Changes of status and tags, which the operator makes, as clients see them. */
import type { Status } from '../../../functions/domain/testimonial.ts';
import type { TestimonialChange } from '../../../functions/domain/testimonial-change.ts';
import { changeTestimonial } from '../../../functions/operations/change-testimonial.ts';
import type { Check, Deployment } from '../deployment.ts';
import { NotHeld } from '../not-held.ts';
import { expectPage } from './lists.ts';

async function change({ session, known }: Deployment, id: string, by: TestimonialChange): Promise<void> {
  const outcome = await changeTestimonial(session, session.organization, id, by);
  if (outcome.kind !== 'done') throw new NotHeld(`the change of ${id} is ${outcome.kind}`);
  known.changed(outcome.testimonial);
}

// Of the testimonials: some oldest, which the index has by now.
const changed = 30;
const tagged = 3;

export const moderation: Check[] = [
  {
    name: 'an approval is in the very next lists, and moves updatedAt forward',
    async play(deployment) {
      const [first] = deployment.known.all;
      if (!first) throw new NotHeld('nothing was created');
      await change(deployment, first.id, { status: 'approved' });
      for (const query of ['status=approved', 'status=pending', 'sort=updatedAt&limit=1']) {
        await expectPage(deployment, query);
      }
      const [now] = deployment.known.list('status=approved').testimonials;
      if (!now || now.updatedAt <= first.updatedAt) throw new NotHeld(`updatedAt ${now?.updatedAt}`);
      return undefined;
    },
  },
  {
    name: 'any status may follow any other, and each is in the next lists',
    async play(deployment) {
      const ids = deployment.known.all.slice(1, changed).map(({ id }) => id);
      const turns: Status[] = ['rejected', 'approved', 'pending'];
      for (const [i, id] of ids.entries()) {
        // Some of them twice, and some thrice.
        for (const status of turns.slice(0, (i % turns.length) + 1)) await change(deployment, id, { status });
      }
      for (const status of turns) await expectPage(deployment, `status=${status}&sort=updatedAt`);
      return undefined;
    },
  },
  {
    name: 'tags that are added and removed count in the next lists',
    async play(deployment) {
      // Those that have room for more.
      const [first, second, ...more] = deployment.known.all.filter(({ tags = [] }) => tags.length < 10);
      if (!first || !second) throw new NotHeld('nothing was created');
      for (const { id } of [first, second, ...more.slice(0, tagged)]) {
        await change(deployment, id, { addTags: ['Checked'], removeTags: [] });
      }
      await expectPage(deployment, 'tags=checked');
      await change(deployment, second.id, { addTags: ['ux'], removeTags: ['checked'] });
      for (const query of ['tags=checked', 'tags=ux&sort=updatedAt', 'tags=ux,checked']) {
        await expectPage(deployment, query);
      }
      return undefined;
    },
  },
];
