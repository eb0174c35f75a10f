/** How far a check is that takes longer than most. */
import type { ProgramIo } from '../operator/terminal/program-io.ts';
import { beginProgress, type Progress } from '../operator/terminal/progress.ts';

export class ShownProgress {
  readonly #io: ProgramIo;
  #shown: Progress | undefined;

  constructor(io: ProgramIo) {
    this.#io = io;
  }

  /** @param total 0 where it is not known */
  to(work: string, unit: string, done: number, total: number): void {
    this.#shown ??= beginProgress(this.#io, { work, unit, total });
    this.#shown.to(done);
  }

  end(): void {
    this.#shown?.end();
    this.#shown = undefined;
  }
}
