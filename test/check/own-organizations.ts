/** The organizations that a check makes for itself, and leaves nothing of. */
import { randomBytes } from 'node:crypto';
import pMap from 'p-map';
import type { Operator } from '../../lib/operator/session.ts';
import type { ProgramIo } from '../../lib/operator/terminal/program-io.ts';
import type { Organization } from '../contract/organization.ts';
import { removeOrganization } from './remove-organization.ts';

const pattern = /^check-\d{8}-\d{6}-[0-9a-f]{6}$/;

/** A name that tells when the check was begun, and that no other check has: its organizations have it with a number. */
export function newName(now: Date): string {
  const [date, time] = now.toISOString().replace(/[-:]/g, '').split(/[T.]/);
  return `check-${date}-${time}-${randomBytes(3).toString('hex')}`;
}

/** Whether a check has this name. */
export function isNameOfCheck(name: string): boolean {
  return pattern.test(name);
}

/**
 * Removes all that there is of a check, in any state.
 * @param known the organizations that the check still knows, with the keys that their creates had
 */
export async function removeOwn(
  operator: Operator,
  name: string,
  known: readonly Pick<Organization, 'name' | 'idempotencyKeys'>[],
  sleep: ProgramIo['sleep'],
): Promise<void> {
  const own = (await operator.organizations.list()).filter((each) => each.startsWith(`${name}-`));
  await pMap(own, async (organization) => {
    const { idempotencyKeys = [] } = known.find((each) => each.name === organization) ?? {};
    await removeOrganization(operator, organization, { idempotencyKeys, ...(sleep && { sleep }) });
  });
}
