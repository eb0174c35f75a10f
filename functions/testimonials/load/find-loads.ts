/** Opens, finds and lists the loads of an organization. */
import { LoadRefused, type LoadStatus, type UnfinishedLoad } from '../../domain/loads.ts';
import { Claim } from './claim.ts';
import {
  hasLinesLeft,
  idOfLoad,
  isStartedLoad,
  type LoadStore,
  type LoadStores,
  lastAttempt,
  type NamedLoad,
  type StartedRecord,
  statusOf,
} from './load-record.ts';

/**
 * A load that this process may begin or continue. functions/testimonials/loads.ts returns it as a
 * `ComparableLoad`.
 */
export interface OpenedLoad {
  claim: Claim;
  /** When the load began, ISO 8601. Lines without a `createdAt` get this time. */
  at: string;
  /** SHA-256 of the file, hexadecimal. */
  hash: string;
  /** A title for people, such as the file name. */
  title?: string | undefined;
  /** The mapping of the file, as JSON. */
  mapping?: string | undefined;
}

/**
 * Opens a load. Writes nothing.
 * @throws {LoadRefused} when another process works on it, it is being undone, or another load is hidden
 */
export async function openLoad(
  deps: LoadStores,
  organization: string,
  fingerprint: string,
  {
    hash,
    title,
    mapping,
    at: openedAt,
  }: Pick<OpenedLoad, 'hash' | 'title' | 'mapping'> & { at?: string | undefined },
): Promise<OpenedLoad> {
  const claim = new Claim(deps, organization, await lastAttempt(deps.loads, organization, fingerprint));
  const { name, record } = claim;
  if (record?.state === 'undoing') throw new LoadRefused({ why: 'being undone' });
  const at = record?.time ?? openedAt ?? deps.now().toISOString();
  const hidden = record ? undefined : (await deps.index.readHead(organization))?.load;
  if (hidden !== undefined && hidden !== name) throw new LoadRefused({ why: 'other load', organization });
  return { claim, at, hash, title, mapping };
}

/** A load by its id, or all loads of a file by the SHA-256 of its bytes. */
export type LoadKey = { id: string } | { hash: string };

/**
 * Returns the load to undo: a load whose undo has not ended, else the last load, else the last undone load.
 */
export async function findLoad(
  loads: Pick<LoadStore, 'all'>,
  organization: string,
  key: LoadKey,
): Promise<NamedLoad<StartedRecord> | undefined> {
  const found = (await loads.all(organization))
    .filter(isStartedLoad)
    .filter(({ name, record }) => ('id' in key ? idOfLoad(name) === key.id : record.hash === key.hash))
    .toSorted((a, b) => a.record.time.localeCompare(b.record.time));
  const last = (...states: string[]) => found.findLast(({ record }) => states.includes(record.state));
  return last('undoing') ?? last('storing', 'stored', 'ended') ?? last('undone');
}

/** Returns the load of a file in the state `storing` or `stored`. */
export async function loadToContinue(
  { loads, now }: LoadStores,
  organization: string,
  hash: string,
): Promise<LoadStatus | undefined> {
  const load = (await loads.all(organization)).find(
    ({ record }) => record.hash === hash && ['storing', 'stored'].includes(record.state),
  );
  return load && statusOf(load, now());
}

/** Returns all loads that can be undone or have been, the newest first. */
export async function allLoads({ loads, now }: LoadStores, organization: string): Promise<LoadStatus[]> {
  const all = (await loads.all(organization)).filter(isStartedLoad).map((load) => statusOf(load, now()));
  return all.toSorted((a, b) => b.at.localeCompare(a.at));
}

/**
 * Returns the loads and undos that have lines left to store or erase, and the hidden load if there is one.
 */
export async function unfinishedLoads(
  { index, loads, now }: LoadStores,
  organization: string,
): Promise<UnfinishedLoad[]> {
  const hidden = (await index.readHead(organization))?.load;
  const isListed = (load: NamedLoad) => hasLinesLeft(load) || load.name === hidden;
  const unfinished = (await loads.all(organization)).filter(isListed).map((load) => {
    return { isHidden: load.name === hidden, status: statusOf(load, now()) };
  });
  const isKnown = hidden === undefined || unfinished.some(({ isHidden }) => isHidden);
  return isKnown ? unfinished : [...unfinished, { isHidden: true }];
}
