/** What a check leaves. */
import type { Check } from '../deployment.ts';
import { removeOwn } from '../own-organization.ts';

export const removal: Check = {
  name: 'nothing of this check is left in the table',
  async play({ session, api: { idempotencyKeys }, sleep }) {
    await removeOwn(session, session.organization, { idempotencyKeys, sleep });
    return undefined;
  },
};
