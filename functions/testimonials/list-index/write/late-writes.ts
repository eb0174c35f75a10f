/**
 * Steps that write late (rule 46). A step that read a testimonial before its erasure can write its words
 * after an index update has removed them. The head therefore names the steps that may still write, and the
 * texts with these words are kept until then.
 */

import { ordinalOf } from '../../../domain/testimonial-id.ts';
import { longestStepMs, settledMs } from '../../../timing.ts';
import type { ErasureTexts } from '../../model/testimonial-store.ts';
import type { IndexDependencies, IndexHead, WritingStep } from '../index-store.ts';
import { removeGeneration } from './generations.ts';
import type { PostingEdits } from './posting-edits.ts';

type StepName = Omit<WritingStep, 'until'>;

/** Returns the steps that may still write, including one that begins now. */
export function stepsAfterBegin(head: IndexHead, step: StepName, now: number): WritingStep[] {
  return stepsWith(head, { ...step, until: now + longestStepMs }, now);
}

/**
 * Returns the steps that may still write after a step has ended. Only a call that it sent before can still
 * arrive.
 */
export function stepsAfterEnd(head: IndexHead, step: StepName, now: number): WritingStep[] {
  return stepsWith(head, { ...step, until: now + settledMs }, now);
}

function stepsWith({ writing = [] }: IndexHead, step: WritingStep, now: number): WritingStep[] {
  const isOther = ({ generation, epoch, until }: WritingStep) =>
    until > now && !(generation === step.generation && epoch === step.epoch);
  return [...writing.filter(isOther), step];
}

/**
 * True if a step may still write the words of a testimonial that was erased into the current generation. A
 * step that began after the erasure was indexed cannot. If the head does not say when that was, the times
 * decide.
 */
export function mayWriteWords(
  { writing = [], generation: current, covered }: IndexHead,
  { updateOrdinal, time }: Pick<ErasureTexts, 'updateOrdinal' | 'time'>,
  now: number,
): boolean {
  const indexedInEpoch = covered.find(({ updateOrdinals }) => updateOrdinals.includes(updateOrdinal))?.epoch;
  const settledAt = Date.parse(time) + settledMs;
  const canHaveRead = ({ epoch, since }: WritingStep) =>
    indexedInEpoch === undefined ? since < settledAt : epoch < indexedInEpoch;
  return writing.some((step) => step.generation === current && step.until > now && canHaveRead(step));
}

/** True if a step may still write into a generation that lists no longer read. */
export function mayWriteElsewhere({ writing = [], generation: current }: IndexHead, now: number): boolean {
  return writing.some(({ generation, until }) => generation !== current && until > now);
}

/**
 * After a failed step, makes sure that the words it may have written can still be found and removed. If its
 * generation was removed, removes it again. Otherwise stores the texts of the testimonials that were erased
 * in the meantime, so that the next index update removes their words.
 *
 * Does nothing
 * - if the generation still exists but no list reads it,
 * - during a rebuild, because no texts are deleted then (rule 27), or
 * - if another step in the head protects the texts until the calls of this one can no longer arrive.
 * @param step.since the time at which the step began to read
 */
export async function cleanUpAfterFailure(
  { testimonials, index, now }: IndexDependencies,
  organization: string,
  { generation, since, edits }: { generation: number; since: number; edits: PostingEdits },
): Promise<void> {
  const head = await index.readHead(organization);
  if (generation < (head?.oldest ?? 1)) return removeGeneration(index, organization, generation);
  if (head?.generation !== generation || head.building) return;
  const time = now();
  const keepsTexts = (each: WritingStep) => each.since <= since && each.until >= time.getTime() + settledMs;
  if (head.writing?.some(keepsTexts)) return;
  const erased = await testimonials.findErased(organization, [...edits.addedTexts.keys()]);
  if (erased.length === 0) return;
  const { length: count } = erased;
  const last = await testimonials.reserveUpdateOrdinal(organization, time, 'erasure', count);
  const kept = erased.map(ordinalOf).flatMap((ordinal, i): ErasureTexts[] => {
    const texts = edits.addedTexts.get(ordinal);
    // `reserveUpdates` (operations/attempts.ts) assigns the numbers in the same way.
    const updateOrdinal = last.updateOrdinal - count + 1 + i;
    // `version: 0`: the erasure is complete, so nothing has to be sealed.
    return texts ? [{ ordinal, updateOrdinal, version: 0, time: last.time, texts }] : [];
  });
  await testimonials.putErasureTexts(organization, kept);
  await index.requestIndexUpdate(organization, time);
}
