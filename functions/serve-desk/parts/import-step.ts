/**
 * The steps in which a browser at the desk imports a file (docs/adr/0033-the-browser-reads-the-file.md).
 * `compare`, `check` and `store` send all lines. Any step can therefore be lost or repeated, and only the
 * load itself is stored in between.
 */
import { gunzipSync } from 'node:zlib';
import type { Context } from 'hono';
import * as v from 'valibot';
import {
  areTimesInOrder,
  type ComparedLines,
  type LoadPhase,
  type LoadRefusal,
  type LoadResult,
  type LoadStatus,
  lineEntries,
  loadLimits,
  update,
} from '../../domain/loads.ts';
import { describeIssues } from '../../http/validate.ts';
import { BadForm } from './forms.ts';
import { maxLines, maxUnpackedStepBytes } from './import-limits.ts';

const sha256 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hexadecimal'));
const time = v.pipe(
  v.number('must be a time in milliseconds since 1970'),
  v.integer('must be a time in milliseconds since 1970'),
  // Only years of four digits sort as text.
  v.minValue(Date.parse('0001-01-01T00:00:00Z'), 'must be a time in milliseconds since 1970'),
  v.check((value) => value <= Date.now(), 'must not be in the future'),
);
// A page can stay open for a while before the person presses the button.
const longestCheckMs = 24 * 60 * 60 * 1000;
const openedAt = v.pipe(
  v.string(),
  v.isoTimestamp('must be a time in ISO 8601'),
  v.check(
    (text) => Date.parse(text) <= Date.now() && Date.parse(text) > Date.now() - longestCheckMs,
    'must be of the last day',
  ),
);
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const numbers = v.pipe(v.array(count), v.maxLength(maxLines), v.readonly());

const line = v.pipe(
  v.object({ ...lineEntries(time), update: v.exactOptional(update) }),
  v.forward(v.partialCheck([['createdAt'], ['updatedAt']], areTimesInOrder, 'must not be before createdAt'), [
    'updatedAt',
  ]),
);

const textOf = (most: number) =>
  v.pipe(
    v.string(),
    v.maxLength(most, `must be ${most.toLocaleString('en')} characters at most`),
    v.check((value) => value.isWellFormed(), 'must be valid Unicode'),
  );

const fileEntries = {
  /** The fingerprint of the file and its mapping. Equal lines have an equal fingerprint. */
  fingerprint: sha256,
  hash: sha256,
  title: textOf(loadLimits.title),
  /** The mapping of the file, as JSON. Only the browser reads it. */
  mapping: v.exactOptional(textOf(loadLimits.mapping)),
};
const linesEntries = {
  ...fileEntries,
  lines: v.pipe(v.array(line), v.maxLength(maxLines, `must be ${maxLines} lines at most`), v.readonly()),
};
const checkEntries = {
  ...linesEntries,
  /** The id of the opened load. After an undo, the same file gets another id. */
  id: v.string(),
  /**
   * The time at which a new load was opened, when its lines were checked. A load that has begun has its own
   * time.
   */
  at: v.exactOptional(openedAt),
  asNew: v.boolean(),
  /** `ComparedLines.repeated` of the last `compare`, and `LoadOptions.alreadyStored` of the check. */
  compared: v.exactOptional(numbers),
};

const step = v.variant('step', [
  // Finds an import to continue (`Loads.toContinue`).
  v.object({ step: v.literal('find'), hash: sha256 }),
  v.object({ step: v.literal('open'), ...fileEntries }),
  v.object({
    step: v.literal('compare'),
    ...linesEntries,
    before: v.exactOptional(v.object({ repeated: numbers, next: v.exactOptional(count) })),
  }),
  v.object({ step: v.literal('check'), ...checkEntries }),
  v.object({
    step: v.literal('store'),
    ...checkEntries,
    /** The lines that the check rejected. The person has seen only these. */
    rejected: numbers,
    which: v.picklist(['all', 'only new']),
  }),
]);

export type StepRequest = v.InferOutput<typeof step>;

/** The progress of a step that ran out of time. */
export interface StepProgress {
  done: number;
  total: number;
  phase: LoadPhase;
}

/** The response to each step. */
export interface StepResponses {
  /** The import of the file that has begun to store lines but has not ended. */
  find: { unended?: LoadStatus };
  open: { id: string; at: string; earlier?: LoadStatus };
  compare: ComparedLines;
  check: { result: LoadResult };
  store: { result: LoadResult } | { progress: StepProgress };
}

export interface RefusedStep {
  refused: { why: LoadRefusal['why']; text: string };
}

/**
 * Reads a step: JSON, compressed with gzip.
 * @throws {BadForm} with the first invalid member
 */
export async function stepIn({ req }: Context): Promise<StepRequest> {
  const compressed = Buffer.from(await req.arrayBuffer());
  const unpacked = unpack(compressed);
  const { success, output, issues } = v.safeParse(step, unpacked, { abortEarly: true });
  if (success) return output;
  const [[path, rule] = ['step', 'is not valid']] = Object.entries(describeIssues(issues));
  throw new BadForm(
    `This import cannot be read: ${path} ${rule}. Reload the page and choose the file again.`,
  );
}

function unpack(compressed: Buffer): unknown {
  try {
    return JSON.parse(gunzipSync(compressed, { maxOutputLength: maxUnpackedStepBytes }).toString());
  } catch {
    return undefined;
  }
}
