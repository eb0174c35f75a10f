/**
 * Actions on testimonials at the desk. The buttons of the list send these names, and this module decides who
 * may take an action. Keys of the queue are in review.ts, because everyone may press them. Both change
 * testimonials with the functions below.
 */
import type { ChangeOutcome, EraseOutcome, SeenVersion, Tally } from '../../domain/outcomes.ts';
import type { TestimonialChange } from '../../domain/testimonial-change.ts';
import { type Desk, mayErase } from './desk.ts';
import { BadForm, outOfDateText, readSeen, readTagging, seenValue } from './forms.ts';

/** An action on the testimonials of a list. */
export interface Action {
  name: string;
  /** The verb of “… 3 testimonials”. */
  verb: string;
  /** The end of the sentence “3 testimonials …”. */
  doneText: string;
  to: TestimonialChange | 'erase';
}

const actions = {
  approve: { verb: 'Approve', doneText: 'approved.', toOf: () => ({ status: 'approved' }) },
  reject: { verb: 'Reject', doneText: 'rejected.', toOf: () => ({ status: 'rejected' }) },
  tag: { verb: 'Tag', doneText: 'tagged.', toOf: (tags) => readTagging('addTags', tags) },
  untag: { verb: 'Remove tags', doneText: 'untagged.', toOf: (tags) => readTagging('removeTags', tags) },
  erase: { verb: 'Erase', doneText: 'erased.', toOf: () => 'erase' },
} satisfies Record<string, Pick<Action, 'verb' | 'doneText'> & { toOf: (tags: string) => Action['to'] }>;

type ActionName = keyof typeof actions;

/** The request of a button: an action, or a page that asks before the action. */
export type ButtonAction = ActionName | 'ask to erase' | 'choose wall' | `pin ${string}` | `unpin ${string}`;

/** Returns the value of a button on a card: its action, and the testimonial as shown. */
export function cardValue(action: ButtonAction, seen: SeenVersion): string {
  return `${action} on ${seenValue(seen)}`;
}

/**
 * Reads the value of a button on a card. Returns undefined if no such button was pressed.
 * @throws {BadForm} if the value is malformed
 */
export function readCardValue(value: string): { action: string; seen: SeenVersion } | undefined {
  const [action = '', seen] = value.split(' on ');
  return seen === undefined ? undefined : { action, seen: readSeen(seen) };
}

/**
 * Reads an action from a form.
 * @param tags the tags as typed
 * @throws {BadForm} for an unknown action, an action that the person may not take, or invalid tags
 */
export function readAction(desk: Desk, name: string, tags: string): Action {
  if (!Object.hasOwn(actions, name)) throw new BadForm(outOfDateText);
  const { toOf, ...action } = actions[name as ActionName]; // by the line above
  // With `BadForm`, the page stays and shows the message.
  if (name === 'erase' && !mayErase(desk)) {
    throw new BadForm('You don’t have permission to erase testimonials. Ask the person who invited you.');
  }
  return { ...action, name, to: toOf(tags) };
}

/** A change that a person sent, and its outcome. */
export interface SentChange {
  outcome: ChangeOutcome;
  /**
   * True if the person has sent it before and the outcome is `already`. False for tags, because only a
   * decision is stored with its person.
   */
  isRepeated: boolean;
}

/**
 * Changes a testimonial, unless someone has changed it since it was seen.
 * @throws {Unreadable} if the testimonial cannot be read
 */
export async function changeSeen(desk: Desk, seen: SeenVersion, to: TestimonialChange): Promise<SentChange> {
  const { testimonials, visit, onChange } = desk;
  const options = { ifUpdatedAt: seen.updatedAt, by: visit.person };
  const outcome = await testimonials.change(seen.id, to, options);
  if (outcome.kind === 'done') onChange(outcome.before, outcome.testimonial);
  return { outcome, isRepeated: isRepeated(desk, seen, to, outcome) };
}

/**
 * True if this person has made the decision since the testimonial was seen. Most likely the response to that
 * request was lost.
 */
function isRepeated(
  { visit }: Desk,
  seen: SeenVersion,
  to: Action['to'],
  outcome: ChangeOutcome | EraseOutcome,
): boolean {
  if (to === 'erase' || to.status === undefined) return false;
  if (outcome.kind !== 'already' || !('decision' in outcome)) return false;
  const { decision } = outcome;
  return decision !== undefined && decision.id === visit.person.id && decision.at > seen.updatedAt;
}

/**
 * The outcomes by kind. `done` includes repeated ones and those in `unreadable`: erased testimonials that
 * could not be read, and some of whose words may still be in the index.
 */
export type DeskTally = Tally & { unreadable: string[] };

/**
 * Changes or erases testimonials, except those that someone has changed since they were seen.
 * @throws {Unreadable} for a change of an unreadable testimonial; earlier changes stay and are logged
 */
export async function changeOrEraseEach(
  desk: Desk,
  seen: readonly SeenVersion[],
  to: Action['to'],
): Promise<DeskTally> {
  const { testimonials, visit, onChange, onUnreadableErased } = desk;
  // Replaces the tally of `changeMany`, which does not count a repeated decision as done.
  const tally: DeskTally = {
    done: [],
    already: [],
    conflict: [],
    absent: [],
    tooManyTags: [],
    unreadable: [],
  };
  const seenById = new Map(seen.map((each) => [each.id, each]));
  const onOutcome = (id: string, outcome: ChangeOutcome | EraseOutcome) => {
    const each = seenById.get(id);
    tally[each && isRepeated(desk, each, to, outcome) ? 'done' : outcome.kind].push(id);
    if (outcome.kind !== 'done') return;
    if (outcome.before === 'unreadable') {
      tally.unreadable.push(id);
      onUnreadableErased(id);
    } else {
      onChange(outcome.before, 'testimonial' in outcome ? outcome.testimonial : undefined);
    }
  };
  await testimonials.changeMany(seen, to, { by: visit.person, onOutcome });
  return tally;
}
