/** Stores the jobs and placements of imports in DynamoDB. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as v from 'valibot';
import { axes } from '../../domain/testimonial-order.ts';
import {
  beginningWith,
  getItem,
  ifAbsent,
  ifPresent,
  putItem,
  queryAll,
  replaceByRevision,
  type StoredItem,
  setAttributes,
  succeeds,
} from '../../persistence/items.ts';
import { fingerprintOfImportKey, importJobKey, importPositionsKey } from '../../persistence/keys.ts';
import type { Table } from '../../persistence/table.ts';
import { type ImportJob, type ImportJobStore, importJob, usedBy } from '../load/import-job.ts';
import type { Placement } from '../load/positions.ts';

// Raised when attributes change their meaning.
const jobLayout = 5;
const placementLayout = 3;

// An item holds 400 KB, so a placement is split into parts.
const partSize = 300_000;

export function importJobStore(table: Table): ImportJobStore {
  const all = async (organization: string) => {
    const { PK, SK: prefix } = importJobKey(organization, '');
    const items = await queryAll(table, beginningWith(PK, prefix));
    // Nobody needs an ended import of another layout.
    const needed = items.filter(
      (item) => item.layout === jobLayout || !['ended', 'undone'].includes(item.state),
    );
    return needed.map((item) => ({ name: fingerprintOfImportKey(item.SK), job: jobIn(item) }));
  };
  return {
    all,

    async find(organization, name) {
      const item = await getItem(table, importJobKey(organization, name));
      return item && jobIn(item);
    },

    async replace(organization, name, next) {
      const key = importJobKey(organization, name);
      const leftOut = next.leftOut && { leftOut: encodeAscending([next.leftOut]) };
      const replaced = await replaceByRevision(table, key, { ...next, ...leftOut, layout: jobLayout });
      return replaced && { ...next, revision: replaced.revision };
    },

    async placements(organization) {
      const { PK, SK: prefix } = importPositionsKey(organization);
      const stored: { header: StoredItem; parts: Uint8Array[] }[] = [];
      for (const item of await queryAll(table, beginningWith(PK, prefix))) {
        const { header, parts } = stored.at(-1) ?? {};
        if (item.parts !== undefined) stored.push({ header: item, parts: [] });
        // Skips the parts of an import that lost the race for this number.
        else if (header && item.SK.startsWith(`${header.SK}#${header.name}#`)) parts?.push(item.b);
      }
      const jobs = new Map((await all(organization)).map(({ name, job }) => [name, job]));
      return stored.map(({ header, parts }) => ({
        // A run that stopped before the header may have left more parts than the next run wrote.
        ...toPlacement(organization, header, Buffer.concat(parts.slice(0, header.parts))),
        ...usedBy(jobs.get(header.name)),
      }));
    },

    async addPlacement(organization, placement) {
      const { number, name } = placement;
      const bytes = encodePlacement(placement);
      const count = Math.ceil(bytes.length / partSize);
      // Parts are not read before the header names them.
      for (let part = 0; part < count; part += 1) {
        const key = importPositionsKey(organization, number, { fingerprint: name, part });
        await putItem(table, { ...key, b: bytes.subarray(part * partSize, (part + 1) * partSize) });
      }
      const key = importPositionsKey(organization, number);
      const item = { ...key, name, parts: count, layout: placementLayout };
      return (await succeeds(putItem(table, item, ifAbsent))) || (await getItem(table, key))?.name === name;
    },

    async freePlacement(organization, number, staying) {
      const keptLines = encodeAscending([staying]);
      await setAttributes(table, importPositionsKey(organization, number), { keptLines }, ifPresent);
    },
  };
}

/** @throws when another version of this program wrote the item */
function jobIn(item: StoredItem): ImportJob {
  if (item.layout === jobLayout) {
    const leftOut = item.leftOut instanceof Uint8Array && { leftOut: decodeAscending(item.leftOut)[0] };
    const read = v.safeParse(importJob, { ...item, ...leftOut });
    if (read.success) return read.output;
  }
  throw new Error(
    `An import was begun by another version of this program. Finish it with that version, or delete the item ${item.PK}, ${item.SK} from the table and run the import again: it asks about lines that are already stored.`,
  );
}

function toPlacement(organization: string, { SK, name, layout, keptLines }: StoredItem, bytes: Uint8Array) {
  if (layout !== placementLayout)
    throw new Error(
      `Another version of this program has imported into ${organization}. Import with that version.`,
    );
  return {
    number: Number(SK.slice(importPositionsKey(organization).SK.length)),
    name,
    ...decodePlacement(bytes),
    ...(keptLines && { staying: decodeAscending(keptLines)[0] ?? [] }),
  };
}

type PlacedLines = Pick<Placement, 'positions' | 'times' | 'linesByUpdate'>;

export function encodePlacement({ positions, times, linesByUpdate }: PlacedLines): Uint8Array {
  return encodeAscending([...axes.flatMap((axis) => [positions[axis], times[axis]]), linesByUpdate]);
}

export function decodePlacement(bytes: Uint8Array): PlacedLines {
  const [created = [], createdTimes = [], updated = [], updatedTimes = [], linesByUpdate = []] =
    decodeAscending(bytes);
  return {
    positions: { createdAt: created, updatedAt: updated },
    times: { createdAt: createdTimes, updatedAt: updatedTimes },
    linesByUpdate,
  };
}

/** Encodes lists of mostly ascending numbers by their differences, deflated (RFC 1951). */
function encodeAscending(lists: readonly (readonly number[])[]): Uint8Array {
  const differences = lists.map((list) => list.map((number, i) => number - (list[i - 1] ?? 0)));
  return deflateRawSync(JSON.stringify(differences));
}

function decodeAscending(bytes: Uint8Array): number[][] {
  const lists: number[][] = JSON.parse(inflateRawSync(bytes).toString());
  return lists.map((differences) => {
    let sum = 0;
    return differences.map((difference) => {
      sum += difference;
      return sum;
    });
  });
}
