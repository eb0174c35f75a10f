/** A review whose keys come by requests: it is held until the next one. */
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import { type ReviewDependencies, type Reviewed, review, tallyOf } from '../moderation/review.ts';

/** What a review shows between two keys. */
export interface ReviewState {
  /** The testimonial that is decided on next; absent where none is left. */
  shown?: Testimonial;
  /** How many are left with it. */
  left: number;
  canUndo: boolean;
  /** What was said since the last key but one. */
  said: string[];
  tally: ReturnType<typeof tallyOf>;
}

export interface HeldReview {
  /** What it shows, once what the last key asked for is done. */
  state: () => Promise<ReviewState>;
  /**
   * Presses a key on what a page shows; nothing where the review shows something else by now, as after a double click.
   * @param id of the testimonial that the page shows; absent where it shows none
   */
  press: (key: string, id: string | undefined) => Promise<ReviewState>;
}

/** Begins a review. Whoever is told of an error begins another. */
export function holdReview(deps: Pick<ReviewDependencies, 'next' | 'change'>): HeldReview {
  const reviewed: Reviewed[] = [];
  const names = new Map<string, string>();
  const pad = keyPad();
  const screen: Omit<ReviewState, 'tally'> = { left: 0, canUndo: false, said: [] };
  const ended = review(
    {
      ...deps,
      keys: pad.keys(),
      show(shown, left, canUndo) {
        names.set(shown.id, shown.author.name);
        Object.assign(screen, { shown, left, canUndo });
      },
      showEnd(canUndo) {
        delete screen.shown;
        Object.assign(screen, { left: 0, canUndo });
      },
      // People know them by their names.
      say: (line) => screen.said.push(line.replace(/\btest_\d+/, (id) => names.get(id) ?? id)),
    },
    reviewed,
  );
  // Told to whoever asks next.
  ended.catch(() => {});
  let turn: Promise<unknown> = Promise.resolve();
  const state = async (): Promise<ReviewState> => {
    await Promise.race([pad.isAwaited(), ended]);
    return { ...screen, said: [...screen.said], tally: tallyOf(reviewed) };
  };
  const pressed = async (key: string, id: string | undefined): Promise<ReviewState> => {
    const before = await state();
    if (before.shown?.id !== id) return before;
    screen.said = [];
    pad.press(key);
    return state();
  };
  return {
    state,
    press(key, id) {
      const result = turn.then(() => pressed(key, id));
      turn = result.catch(() => {});
      return result;
    },
  };
}

/** Keys that are pressed one by one, each once the one before has done its work. */
function keyPad() {
  let wake = (_: string) => {};
  let tellAwaited = () => {};
  let awaited = new Promise<void>((resolve) => {
    tellAwaited = resolve;
  });
  return {
    isAwaited: () => awaited,
    press(key: string) {
      awaited = new Promise<void>((resolve) => {
        tellAwaited = resolve;
      });
      wake(key);
    },
    async *keys(): AsyncGenerator<string, void, undefined> {
      for (;;) {
        yield await new Promise<string>((resolve) => {
          wake = resolve;
          tellAwaited();
        });
      }
    },
  };
}
