/** The bucket in memory: recordings of silence, whose numbers of frames tell them apart. */
import { type Bucket, type BucketObject, ObjectChanged } from '../../functions/media/bucket.ts';
import { interleaving } from './interleaving.ts';

/** An object as it is stored. */
export interface MemoryObject extends Omit<BucketObject, 'bytes'> {
  frames: number;
  isDraft: boolean;
}

type Calls = Pick<Bucket, 'find' | 'read' | 'copyAsDraft' | 'keep' | 'remove'> & {
  /** Stores an upload, or replaces it, as whoever has a signed form can. */
  upload(key: string, frames: number): Promise<void>;
};

/** It signs nothing. */
export type MemoryBucket = Bucket & Calls;

// MPEG 1, layer III, 32 kbit/s at 44,100 Hz.
const frameHeader = [0xff, 0xfb, 0x10, 0x00];
const frameBytes = 104;

/** The size of a recording, in bytes. */
export function bytesOfFrames(frames: number): number {
  return frames * frameBytes;
}

function recordingOf(frames: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(bytesOfFrames(frames));
  for (let frame = 0; frame < frames; frame += 1) bytes.set(frameHeader, frame * frameBytes);
  return bytes;
}

export function bucketInMemory(objects: Map<string, MemoryObject>): MemoryBucket {
  const calls = interleaving<Calls>({
    upload(key, frames) {
      objects.set(key, { frames, type: 'audio/mpeg', etag: `"${frames}"`, metadata: {}, isDraft: false });
    },
    find(key) {
      const object = objects.get(key);
      return object && { ...object, bytes: bytesOfFrames(object.frames) };
    },
    read(key, { from, to, etag }) {
      const object = objects.get(key);
      if (object?.etag !== etag) throw new ObjectChanged(key);
      return recordingOf(object.frames).slice(from, to);
    },
    copyAsDraft({ from, to, etag, type, metadata }) {
      if (objects.has(to)) return false;
      const source = objects.get(from);
      if (source?.etag !== etag) throw new ObjectChanged(from);
      objects.set(to, { frames: source.frames, etag, type, metadata, isDraft: true });
      return true;
    },
    keep(key) {
      const object = objects.get(key);
      if (object) objects.set(key, { ...object, isDraft: false });
    },
    remove(key) {
      objects.delete(key);
    },
  });
  const unsigned = () => {
    throw new Error('The bucket in memory signs nothing');
  };
  return {
    name: 'media',
    origin: 'https://media.localhost',
    signCall: unsigned,
    signUrl: unsigned,
    signForm: unsigned,
    ...calls,
  };
}
