/** Keeps the objects of the local bucket: in a folder, or in memory. */
import { randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { without } from '../../functions/domain/without.ts';

const facts = v.object({
  key: v.string(),
  type: v.string(),
  etag: v.string(),
  metadata: v.record(v.string(), v.string()),
  tags: v.record(v.string(), v.string()),
  /** Milliseconds since 1970. */
  modified: v.number(),
});

export type ObjectFacts = v.InferOutput<typeof facts>;

export interface ObjectStore {
  get(key: string): Promise<{ facts: ObjectFacts; body: Blob } | undefined>;
  put(facts: ObjectFacts, body: Blob): Promise<void>;
  remove(key: string): Promise<void>;
  list(): Promise<ObjectFacts[]>;
}

/** Returns a store in memory. */
export function memoryObjects(): ObjectStore {
  const objects = new Map<string, { facts: ObjectFacts; body: Blob }>();
  return {
    get: async (key) => objects.get(key),
    put: async (facts, body) => void objects.set(facts.key, { facts, body }),
    remove: async (key) => void objects.delete(key),
    list: async () => [...objects.values()].map((object) => object.facts),
  };
}

const stored = v.pipe(v.string(), v.parseJson(), v.object({ ...facts.entries, file: v.string() }));

/**
 * Returns the store of a folder. Each object has a file with its facts, which names the file with its bytes,
 * so that a stop leaves either the old object or the new one. Deletes files that no object names.
 */
export async function folderObjects(folder: string): Promise<ObjectStore> {
  await mkdir(folder, { recursive: true });
  const factsFile = (key: string) => join(folder, `${encodeURIComponent(key)}.json`);
  const factsIn = async (path: string) => {
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text === undefined) return undefined;
    const { success, output } = v.safeParse(stored, text);
    if (success) return output;
    throw new Error(
      `${path} is incomplete: it describes a photo, a recording or an upload. Delete this file to continue without it.`,
    );
  };
  const removeBytes = async (key: string, except?: string) => {
    const file = (await factsIn(factsFile(key)))?.file;
    return () =>
      file === undefined || file === except ? undefined : rm(join(folder, file), { force: true });
  };
  const all = async () => {
    const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
    const found = await Promise.all(names.map((name) => factsIn(join(folder, name))));
    return found.filter((object) => object !== undefined);
  };
  const named = new Set((await all()).map(({ file }) => file));
  const unnamed = (await readdir(folder)).filter((name) => !name.endsWith('.json') && !named.has(name));
  for (const name of unnamed) await rm(join(folder, name));
  return {
    async get(key) {
      const found = await factsIn(factsFile(key));
      if (!found) return undefined;
      return { facts: without(found, 'file'), body: await openAsBlob(join(folder, found.file)) };
    },
    async put(object, body) {
      const file = `${randomUUID()}.bytes`;
      await writeFile(join(folder, file), body.stream());
      const removeOld = await removeBytes(object.key, file);
      const draft = join(folder, `${file}.draft`);
      await writeFile(draft, JSON.stringify({ ...object, file }));
      await rename(draft, factsFile(object.key));
      await removeOld();
    },
    async remove(key) {
      const removeOld = await removeBytes(key);
      await rm(factsFile(key), { force: true });
      await removeOld();
    },
    list: async () => (await all()).map((object) => without(object, 'file')),
  };
}
