/**
 * The rules by which a generation of postings was made. Two versions of the service run at once during a deployment, and an older one
 * may come back: each reads and writes only terms that mean the same to both (docs/adr/0019).
 */
import { newestRules, textRules } from '../domain/terms.ts';

export interface TermsVersion {
  /** The rules of facets. A higher number adds facets and changes none. */
  rules: number;
  /** The rules by which texts became terms; `ofSeveral` if not all by the same. */
  texts: number;
  /** The Unicode version that splits texts and folds their case. A newer one refuses no list: it differs only in new letters. */
  unicode: string;
}

// The texts of a generation that versions with different rules have written.
const ofSeveral = 0;

const current: TermsVersion = {
  rules: newestRules,
  texts: textRules,
  unicode: String(process.versions.unicode),
};

/** The version of the postings that this code writes, as the head stores it: `7.7/17.0`. */
export const termsVersion = formatted(current);

function formatted({ rules, texts, unicode }: TermsVersion): string {
  return `${rules}.${texts}/${unicode}`;
}

/** Parses the version that a head stores. */
export function parseTermsVersion(terms: string): TermsVersion {
  const [, rules, texts = rules, unicode = ''] = /^(\d+)(?:\.(\d+))?\/(.*)$/.exec(terms) ?? [];
  return { rules: Number(rules), texts: Number(texts), unicode };
}

/** The rules that a list needs. */
export interface Needs {
  /** The rules of facets that have all of its facets. */
  rules: number;
  /** True if it searches, or filters by something that people wrote. */
  texts: boolean;
}

/** Returns true if postings of this version give a right list. */
export function answers(terms: string, needs: Needs): boolean {
  const stored = parseTermsVersion(terms);
  return stored.rules >= needs.rules && (!needs.texts || stored.texts === current.texts);
}

/** Returns true if postings were made by newer rules: this code would leave some out. */
export function isNewer(terms: string): boolean {
  return parseTermsVersion(terms).rules > current.rules;
}

/** Returns the version of a generation once this code has written into it. */
export function writtenByUs(terms: string): string {
  const stored = parseTermsVersion(terms);
  return stored.texts === current.texts ? terms : formatted({ ...stored, texts: ofSeveral });
}
