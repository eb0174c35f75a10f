/** Stores the records and the reserved positions of loads in DynamoDB. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as v from 'valibot';
import { LoadRefused } from '../../domain/loads.ts';
import { axes } from '../../domain/testimonial-order.ts';
import {
  beginningWith,
  getItem,
  ifAbsent,
  ifPresent,
  meetsCondition,
  putItem,
  queryAll,
  replaceByRevision,
  type StoredItem,
  setAttributes,
} from '../../dynamodb/items.ts';
import { importKey, importPositionsKey, nameOfImportKey } from '../../dynamodb/keys.ts';
import type { Table } from '../../dynamodb/table.ts';
import { highWaterIfUndone, type LoadRecord, type LoadStore, loadRecord } from '../load/load-record.ts';
import type { ReservedPositions } from '../load/positions.ts';

// Raised when the meaning of an attribute changes.
const recordLayout = 5;
const positionsLayout = 3;

// An item holds 400 KB, so positions are split into parts.
const partSize = 300_000;

export function loadStore(table: Table): LoadStore {
  const all = async (organization: string) => {
    const { PK, SK: prefix } = importKey(organization, '');
    const items = await queryAll(table, beginningWith(PK, prefix));
    // Ended loads of another layout are not needed.
    const needed = items.filter(
      (item) => item.layout === recordLayout || !['ended', 'undone'].includes(item.state),
    );
    return needed.map((item) => ({ name: nameOfImportKey(item.SK), record: recordIn(item) }));
  };
  return {
    all,

    async find(organization, name) {
      const item = await getItem(table, importKey(organization, name));
      return item && recordIn(item);
    },

    async replace(organization, name, next) {
      const key = importKey(organization, name);
      const leftOut = next.leftOut && { leftOut: encodeAscending([next.leftOut]) };
      const replaced = await replaceByRevision(table, key, { ...next, ...leftOut, layout: recordLayout });
      return replaced && { ...next, revision: replaced.revision };
    },

    async positions(organization) {
      const { PK, SK: prefix } = importPositionsKey(organization);
      const stored: { header: StoredItem; parts: Uint8Array[] }[] = [];
      for (const item of await queryAll(table, beginningWith(PK, prefix))) {
        const { header, parts } = stored.at(-1) ?? {};
        if (item.parts !== undefined) stored.push({ header: item, parts: [] });
        // Skips the parts of a load that lost the race for this number.
        else if (header && item.SK.startsWith(`${header.SK}#${header.name}#`)) parts?.push(item.b);
      }
      const records = new Map((await all(organization)).map(({ name, record }) => [name, record]));
      return stored.map(({ header, parts }) => ({
        // A process that stopped before it wrote the header may have left more parts than the next one wrote.
        ...toReserved(organization, header, Buffer.concat(parts.slice(0, header.parts))),
        ...highWaterIfUndone(records.get(header.name)),
      }));
    },

    async addPositions(organization, reserved) {
      const { number, name } = reserved;
      const bytes = encodePositions(reserved);
      const count = Math.ceil(bytes.length / partSize);
      // Parts are not read until the header names them.
      for (let part = 0; part < count; part += 1) {
        const key = importPositionsKey(organization, number, { name, part });
        await putItem(table, { ...key, b: bytes.subarray(part * partSize, (part + 1) * partSize) });
      }
      const key = importPositionsKey(organization, number);
      const item = { ...key, name, parts: count, layout: positionsLayout };
      return (
        (await meetsCondition(putItem(table, item, ifAbsent))) || (await getItem(table, key))?.name === name
      );
    },

    async storeKeptRanks(organization, number, keptRanks) {
      const keptLines = encodeAscending([keptRanks]);
      await setAttributes(table, importPositionsKey(organization, number), { keptLines }, ifPresent);
    },
  };
}

/** @throws {LoadRefused} if another version of this program wrote the item */
function recordIn(item: StoredItem): LoadRecord {
  if (item.layout === recordLayout) {
    const leftOut = item.leftOut instanceof Uint8Array && { leftOut: decodeAscending(item.leftOut)[0] };
    const read = v.safeParse(loadRecord, { ...item, ...leftOut });
    if (read.success) return read.output;
  }
  throw new LoadRefused({ why: 'unreadable load', keys: { PK: item.PK, SK: item.SK } });
}

function toReserved(organization: string, { SK, name, layout, keptLines }: StoredItem, bytes: Uint8Array) {
  if (layout !== positionsLayout) throw new LoadRefused({ why: 'unreadable positions', organization });
  return {
    number: Number(SK.slice(importPositionsKey(organization).SK.length)),
    name,
    ...decodePositions(bytes),
    ...(keptLines && { keptRanks: decodeAscending(keptLines)[0] ?? [] }),
  };
}

type Encoded = Pick<ReservedPositions, 'positions' | 'times' | 'ranksByUpdate'>;

export function encodePositions({ positions, times, ranksByUpdate }: Encoded): Uint8Array {
  return encodeAscending([...axes.flatMap((axis) => [positions[axis], times[axis]]), ranksByUpdate]);
}

export function decodePositions(bytes: Uint8Array): Encoded {
  const [created = [], createdTimes = [], updated = [], updatedTimes = [], ranksByUpdate = []] =
    decodeAscending(bytes);
  return {
    positions: { createdAt: created, updatedAt: updated },
    times: { createdAt: createdTimes, updatedAt: updatedTimes },
    ranksByUpdate,
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
