/** Changes of status, which the operator makes, as clients see them. */
import type { Status } from '../../../functions/domain/testimonial.ts';
import { changeTestimonial } from '../../../functions/operations/change-testimonial.ts';
import type { Check, Deployment } from '../deployment.ts';
import { NotHeld } from '../not-held.ts';
import { expectPage } from './lists.ts';

async function change({ session, known }: Deployment, id: string, status: Status): Promise<void> {
  known.changed(await changeTestimonial(session, session.organization, id, { status }));
}

// Of the testimonials: some oldest, which the index has by now.
const changed = 30;

export const moderation: Check[] = [
  {
    name: 'an approval is in the very next lists, and moves updatedAt forward',
    async play(deployment) {
      const [first] = deployment.known.all;
      if (!first) throw new NotHeld('nothing was created');
      await change(deployment, first.id, 'approved');
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
        for (const status of turns.slice(0, (i % turns.length) + 1)) await change(deployment, id, status);
      }
      for (const status of turns) await expectPage(deployment, `status=${status}&sort=updatedAt`);
      return undefined;
    },
  },
];
