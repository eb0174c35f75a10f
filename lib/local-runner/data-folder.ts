/**
 * Checks the data folder of the embedded DynamoDB, a LevelDB store, before it is opened. LevelDB mistakes
 * some damage for an empty store, and deletes files that it does not know.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Creates the folder if necessary.
 * @throws one line if it cannot be created, or if LevelDB would lose a part of its data
 */
export async function prepareFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true }).catch((error: Error) => {
    throw new Error(
      `The data folder ${path} cannot be created (${error.message}). Free disk space or set DATA_DIR to another folder.`,
    );
  });
  // Checked twice, because a running service may replace a file during the first check.
  const damage = (await damageIn(path)) && (await damageIn(path));
  if (damage !== undefined) throw new Error(damagedText(path, damage));
}

/** Returns one line about a store that cannot be opened, read or written. */
export function failureText(path: string, error: Error): string {
  // If a store does not open, the cause is LevelDB's error.
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException;
  if (code === 'LEVEL_LOCKED')
    return `${path} is in use by another local service. Stop it, or set DATA_DIR to another folder.`;
  if (/no space left|quota exceeded|ENOSPC/i.test(message))
    return `The data in ${path} cannot be written because the disk is full (${message}). Free disk space, then start the service again.`;
  if (/permission denied|read-only/i.test(message))
    return `The data in ${path} cannot be written (${message}). Change the permissions, or set DATA_DIR to another folder.`;
  return damagedText(path, message);
}

function damagedText(path: string, cause: string): string {
  return `The data in ${path} is damaged (${cause}). Replace the folder with a copy, or move it away to start with an empty one.`;
}

/** Returns the damage that LevelDB would not notice, or undefined. */
async function damageIn(path: string): Promise<string | undefined> {
  const names = await readdir(path);
  const logs = names.filter((name) => /^\d+\.log$/.test(name));
  const tables = names.filter((name) => /^\d+\.(ldb|sst)$/.test(name));
  if (!names.includes('CURRENT')) {
    return logs.length + tables.length > 0 ? 'the file CURRENT is missing' : undefined;
  }
  const current = (await readFile(join(path, 'CURRENT'), 'utf8')).trimEnd();
  // LevelDB itself rejects a CURRENT that names no manifest.
  if (!names.includes(current)) return undefined;
  const manifest = recordsOf(await readFile(join(path, current)));
  if (manifest.isDamaged) return `${current} has a damaged record`;
  // LevelDB deletes a log only after the manifest names the next one. So a missing log means that the end of
  // the manifest is missing.
  const number = logNumberIn(manifest.records);
  const log = `${String(number).padStart(6, '0')}.log`;
  // Before the manifest names a log, LevelDB reads all logs.
  if (number === 0 ? tables.length > 0 : !existsSync(join(path, log)))
    return `${current} is cut off, or ${log} is missing`;
  for (const name of logs) {
    // A running service may have replaced the file.
    const bytes = await readFile(join(path, name)).catch(() => Buffer.alloc(0));
    if (recordsOf(bytes).isDamaged) return `${name} has a damaged record`;
    // A power failure can cause this.
    if (bytes.length > 0 && bytes.every((byte) => byte === 0)) return `${name} contains only zeros`;
  }
  return undefined;
}

const blockBytes = 32_768;
const headerBytes = 7;
// Types of record parts that end a record.
const [fullType, lastType] = [1, 4];

/**
 * Reads a log of LevelDB (https://github.com/google/leveldb/blob/main/doc/log_format.md). An incomplete last
 * record is not damage. A crash or a full disk interrupted its write.
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
    if (type === fullType || type === lastType) {
      records.push(Buffer.concat(parts));
      parts = [];
    }
    at = end;
  }
  return { records, isDamaged: false };
}

/** Returns the CRC-32C of a type and its data, masked in LevelDB's way (log_format.md, crc32c.h). */
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

/** The tag of the log's number in an edit. */
const logTag = 2;
/** The fields after each tag of an edit, numbers (n) and texts (t) (version_edit.cc). */
const fieldsOf: Record<number, string> = {
  1: 't',
  [logTag]: 'n',
  3: 'n',
  4: 'n',
  5: 'nt',
  6: 'nn',
  7: 'nnntt',
  9: 'n',
};

/** Returns the last log number in the edits of a manifest, or 0. */
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
