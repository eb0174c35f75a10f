/**
 * By which rules a generation of postings was made. Two versions of the service run at once during a deployment, and an
 * older one may come back: each reads and writes only what both mean the same by (docs/adr/0019).
 */
import { newestRules, textRules } from '../domain/terms.ts';

export interface TermsVersion {
  /** The rules of facets that each testimonial was indexed by. Higher ones have more, never others. */
  rules: number;
  /** The rules by which all texts became terms; `ofSeveral` when some did by others. */
  texts: number;
  /** Splits and folds texts. A newer one is no reason to refuse a list: it differs in letters that are new. */
  unicode: string;
}

/** Terms of texts in a generation that code of several rules has written. */
const ofSeveral = 0;

const ours: TermsVersion = {
  rules: newestRules,
  texts: textRules,
  unicode: String(process.versions.unicode),
};

/** The version that this code makes, as the head has it: `6.6/17.0`. */
export const termsVersion = written(ours);

function written({ rules, texts, unicode }: TermsVersion): string {
  return `${rules}.${texts}/${unicode}`;
}

/** Reads what a head has. */
export function parseTermsVersion(terms: string): TermsVersion {
  const [, rules, texts = rules, unicode = ''] = /^(\d+)(?:\.(\d+))?\/(.*)$/.exec(terms) ?? [];
  return { rules: Number(rules), texts: Number(texts), unicode };
}

/** The rules by which a list needs postings to be made. */
export interface Needs {
  /** Facets came with these rules, or before. */
  rules: number;
  /** Whether it searches, or filters by what people wrote. */
  texts: boolean;
}

/** Whether a list with these needs is answered right by postings of these terms. */
export function answers(terms: string, needs: Needs): boolean {
  const theirs = parseTermsVersion(terms);
  return theirs.rules >= needs.rules && (!needs.texts || theirs.texts === ours.texts);
}

/** Whether postings were made by rules that this code does not know, so that it would leave out some that they need. */
export function isNewer(terms: string): boolean {
  return parseTermsVersion(terms).rules > ours.rules;
}

/** The terms of a generation once this code has written into it. */
export function writtenByUs(terms: string): string {
  const theirs = parseTermsVersion(terms);
  return theirs.texts === ours.texts ? terms : written({ ...theirs, texts: ofSeveral });
}
