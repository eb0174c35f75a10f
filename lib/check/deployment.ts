/** What checks have at hand: a deployment, from the side of its clients and of its operator. */
import type { Testimonial } from '../../functions/domain/testimonial.ts';
import type { Session } from '../operator/session.ts';
import type { Progress } from '../operator/terminal/progress.ts';
import type { DeployedApi } from './deployed-api.ts';
import type { KnownTestimonials } from './known-testimonials.ts';
import { NotHeld } from './not-held.ts';
import type { OwnTokens } from './own-organization.ts';

export interface ToErase {
  testimonial: Testimonial;
  /** That it was created from. */
  body: Record<string, unknown>;
  /** In its content, its author and its tags, and nowhere else. */
  word: string;
  idempotencyKey: string;
}

export interface Deployment {
  api: DeployedApi;
  tokens: OwnTokens;
  /** The operator's, on the organization of the check. */
  session: Session;
  known: KnownTestimonials;
  /** Testimonials that lists are tried with. */
  size: number;
  /** Of a page that may call the API; undefined where CORS is not checked. */
  origin?: string | undefined;
  /** The one that is going to be erased, once it was created. */
  toErase?: ToErase;
  /** Aborted when the check is to end before its time. */
  signal: AbortSignal;
  progress: Progress;
  sleep: (milliseconds: number) => Promise<unknown>;
  clock: () => number;
}

/** A sentence of the contract, and how it is tried. */
export interface Check {
  /** What holds. */
  name: string;
  /**
   * @returns what is worth knowing though it held
   * @throws {NotHeld}
   */
  play: (deployment: Deployment) => Promise<string | undefined>;
}

/** Checks of one subject. */
export interface Chapter {
  heading: string;
  checks: readonly Check[];
}

// Between two looks.
const lookMs = 1000;

/**
 * Waits until something is so.
 * @returns after how long, in words
 * @throws {NotHeld} where it is not so in time
 */
export async function within(
  limitMs: number,
  { sleep, clock, progress }: Pick<Deployment, 'sleep' | 'clock' | 'progress'>,
  isSo: () => Promise<boolean>,
): Promise<string> {
  const begin = clock();
  const seconds = () => `${((clock() - begin) / 1000).toFixed(1)} s`;
  while (!(await isSo())) {
    if (clock() - begin >= limitMs) throw new NotHeld(`not so after ${seconds()}`);
    progress.to({ work: 'Waiting', unit: 'second' }, Math.round((clock() - begin) / 1000), 0);
    await sleep(lookMs);
  }
  return `after ${seconds()}`;
}
