/** The organizations of a check, which it removes at the end. */
import { randomBytes } from 'node:crypto';
import pMap from 'p-map';
import type { TableStores } from '../operator/table-stores.ts';

type Sleep = (milliseconds: number) => Promise<unknown>;

interface OwnOrganization {
  name: string;
  /** The keys of its creates. */
  idempotencyKeys: Iterable<string>;
}

/** Returns a unique name with the time of the check. It is the prefix of its organizations' names. */
export function newName(now: Date): string {
  const [date, time] = now.toISOString().replace(/[-:]/g, '').split(/[T.]/);
  return `check-${date}-${time}-${randomBytes(3).toString('hex')}`;
}

export function isNameOfCheck(name: string): boolean {
  return /^check-\d{8}-\d{6}-[0-9a-f]{6}$/.test(name);
}

/**
 * Removes the organizations of a check, in any state.
 * @param known the organizations that the check still knows
 */
export async function removeOwn(
  operator: TableStores,
  check: string,
  known: readonly OwnOrganization[],
  sleep: Sleep,
): Promise<void> {
  const names = (await operator.organizations.list()).filter((name) => name.startsWith(`${check}-`));
  await pMap(names, (name) => {
    const organization = known.find((each) => each.name === name) ?? { name, idempotencyKeys: [] };
    return removeCheckOrganization(operator, organization, sleep);
  });
}

/**
 * Revokes an organization's tokens, removes its pages and deletes its items. Other idempotency keys expire
 * within 24 hours, keys of forms within 30 days; they contain no text. Can be stopped and run again.
 */
export async function removeCheckOrganization(
  { tokens, pages, maintenanceOf, organizations }: TableStores,
  { name, idempotencyKeys }: OwnOrganization,
  sleep: Sleep,
): Promise<void> {
  const prepare = async () => {
    for (const { id } of await tokens.list(name)) await tokens.revoke(id);
    for (const page of await pages.list(name)) await pages.remove(page);
  };
  await maintenanceOf(name).remove(idempotencyKeys, { sleep, prepare });
  // Last, because the removal can be repeated while the name exists.
  await organizations.remove(name);
}
