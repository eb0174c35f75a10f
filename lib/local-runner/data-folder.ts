/**
 * The folder in which the embedded DynamoDB keeps its data, a LevelDB store: what is wrong with it, and what to do about that. LevelDB
 * takes some damage for an empty store, and then removes the files that it does not know; such a folder is refused before it is opened.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Makes the folder where it is not there.
 * @throws one line where it cannot be made, or LevelDB would open it without a part of its data
 */
export async function prepareFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true }).catch((error: Error) => {
    throw new Error(
      `${path} cannot be made, where DATA_DIR has the data: ${error.message}. Make room or set DATA_DIR to another folder.`,
    );
  });
  // A service that runs there may replace one file by another between two looks.
  const damage = (await damageIn(path)) && (await damageIn(path));
  if (damage !== undefined) throw new Error(damagedText(path, damage));
}

/** The one line about a store that cannot be opened, read or written. */
export function failureText(path: string, error: Error): string {
  // The cause of a store that does not open is LevelDB's own error.
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException;
  if (code === 'LEVEL_LOCKED')
    return `${path} is in use by another local service: stop it, or set DATA_DIR to another folder.`;
  if (/no space left|quota exceeded|ENOSPC/i.test(message))
    return `The data in ${path} cannot be written, as the disk is full (${message}): make room, then start the service again.`;
  if (/permission denied|read-only/i.test(message))
    return `The data in ${path} cannot be written (${message}): allow that, or set DATA_DIR to another folder.`;
  return damagedText(path, message);
}

function damagedText(path: string, cause: string): string {
  return `The data in ${path} is damaged (${cause}): put a copy of the folder in its place, or move it away to begin with an empty one.`;
}

/** The damage that LevelDB would not see; undefined where there is none. */
async function damageIn(path: string): Promise<string | undefined> {
  const names = await readdir(path);
  const logs = names.filter((name) => /^\d+\.log$/.test(name));
  const tables = names.filter((name) => /^\d+\.(ldb|sst)$/.test(name));
  if (!names.includes('CURRENT')) {
    return logs.length + tables.length > 0 ? 'there is no file CURRENT' : undefined;
  }
  const current = (await readFile(join(path, 'CURRENT'), 'utf8')).trimEnd();
  // LevelDB itself refuses a CURRENT that names no manifest.
  if (!names.includes(current)) return undefined;
  const manifest = recordsOf(await readFile(join(path, current)));
  if (manifest.isDamaged) return `${current} has a record that was changed`;
  // Its log goes only once a manifest names the next one: where it is not there, the end of the manifest is not, either.
  const number = logNumberIn(manifest.records);
  const log = `${String(number).padStart(6, '0')}.log`;
  // Until the first one is named, LevelDB reads all logs.
  if (number === 0 ? tables.length > 0 : !existsSync(join(path, log)))
    return `${current} ends too early, or ${log} is missing`;
  for (const name of logs) {
    // One that is gone by now was replaced.
    const bytes = await readFile(join(path, name)).catch(() => Buffer.alloc(0));
    if (recordsOf(bytes).isDamaged) return `${name} has a record that was changed`;
    // As a power failure can leave it.
    if (bytes.length > 0 && bytes.every((byte) => byte === 0)) return `${name} has nothing but zeros`;
  }
  return undefined;
}

const blockBytes = 32_768;
const headerBytes = 7;
// Of the types of a part of a record.
const [whole, last] = [1, 4];

/**
 * Reads a log of LevelDB (https://github.com/google/leveldb/blob/main/doc/log_format.md). A last record that is not whole is no damage:
 * it was being written when the machine or the disk's room went.
 */
function recordsOf(bytes: Buffer): { records: Buffer[]; isDamaged: boolean } {
  const records: Buffer[] = [];
  let parts: Buffer[] = [];
  let at = 0;
  while (at + headerBytes <= bytes.length) {
    const blockEnd = at - (at % blockBytes) + blockBytes;
    const type = bytes.readUInt8(at + 6);
    const end = at + headerBytes + bytes.readUInt16LE(at + 4);
    if (at + headerBytes > blockEnd) {
      at = blockEnd;
      continue;
    }
    const isWhole = end <= Math.min(blockEnd, bytes.length);
    if (!isWhole || checksumOf(bytes.subarray(at + 6, end)) !== bytes.readUInt32LE(at)) {
      const rest = bytes.subarray(isWhole ? end : blockEnd);
      return { records, isDamaged: rest.some((byte) => byte !== 0) };
    }
    parts.push(bytes.subarray(at + headerBytes, end));
    if (type === whole || type === last) {
      records.push(Buffer.concat(parts));
      parts = [];
    }
    at = end;
  }
  return { records, isDamaged: false };
}

/** CRC-32C of a type and its data, masked as LevelDB stores it (log_format.md, crc32c.h). */
function checksumOf(bytes: Buffer): number {
  let crc = -1;
  for (const byte of bytes) crc = (crcTable[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  crc = ~crc;
  return (((crc >>> 15) | (crc << 17)) + 0xa2_82_ea_d8) >>> 0;
}

const crcTable = Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0x82_f6_3b_78 : 0);
  return crc;
});

/** The tag of an edit that names the log. */
const logTag = 2;
/** The numbers (n) and texts (t) that follow each tag of an edit (version_edit.cc). */
const fieldsOf: Record<number, string> = {
  ...{ 1: 't', [logTag]: 'n', 3: 'n', 4: 'n', 5: 'nt', 6: 'nn', 7: 'nnntt', 9: 'n' },
};

/** The number of the log that the edits of a manifest name last; 0 where they name none. */
function logNumberIn(edits: readonly Buffer[]): number {
  let log = 0;
  for (const edit of edits) {
    let at = 0;
    const number = () => {
      for (let [value, factor] = [0, 1]; ; factor *= 128) {
        const byte = edit[at++] ?? 0;
        value += (byte & 127) * factor;
        if (byte < 128) return value;
      }
    };
    while (at < edit.length) {
      const tag = number();
      for (const field of fieldsOf[tag] ?? '') {
        const value = number();
        if (tag === logTag) log = value;
        if (field === 't') at += value;
      }
    }
  }
  return log;
}
