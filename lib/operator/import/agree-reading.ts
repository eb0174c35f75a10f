/** How a file is read: as it was told, or as it is proposed and agreed. */
import { listed } from '../terminal/formatting.ts';
import type { Source } from './check-file.ts';
import { type Proposal, proposeReading } from './propose-reading.ts';

export interface ReadingDependencies {
  /** Told how a file could be read; true where it is to be read so, which only a whole proposal can be. Absent: none is. */
  agreesToRead?: (proposal: Proposal) => Promise<boolean>;
}

/** The file has no column for something that every line needs. */
export class MissingColumns extends Error {
  readonly proposal: Proposal;

  constructor(file: string, proposal: Proposal) {
    super(`Nothing is stored: ${file} has no column for ${listed(proposal.missing)}.`);
    this.proposal = proposal;
  }
}

/**
 * Decides how a file is read.
 * @returns the file, with the proposal that was not agreed to, if there is one
 * @throws {MissingColumns}
 */
export async function readAsAgreed<S extends Source>(
  { agreesToRead = async () => false }: ReadingDependencies,
  source: S,
): Promise<S & { proposal?: Proposal }> {
  const proposal = proposeReading(source);
  if (!proposal) return source;
  if (await agreesToRead(proposal)) return { ...source, ...proposal.reading };
  if (proposal.missing.length > 0) throw new MissingColumns(source.file, proposal);
  return { ...source, proposal };
}
