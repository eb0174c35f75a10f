/**
 * The version of the rules that a generation of postings follows. Two versions of the service run at once
 * during a deployment, and a rollback can bring back an older one. Each version reads and writes only terms
 * that have the same meaning in both (docs/adr/0019).
 */
import { newestRules, textRules } from '../../domain/terms.ts';

export interface TermsVersion {
  /** The version of the rules of facets. A higher number adds facets and changes none. */
  rules: number;
  /** The rules that turned texts into terms; `mixedRules` if several did. */
  texts: number;
  /**
   * The Unicode version that splits texts and folds their case. Lists work with any version, because versions
   * differ only in new letters.
   */
  unicode: string;
}

// Means that versions with different rules have written texts into the generation.
const mixedRules = 0;

const current: TermsVersion = {
  rules: newestRules,
  texts: textRules,
  unicode: String(process.versions.unicode),
};

/** The version of the postings that this code writes, in the format of the head: `8.8/17.0`. */
export const termsVersion = formatted(current);

function formatted({ rules, texts, unicode }: TermsVersion): string {
  return `${rules}.${texts}/${unicode}`;
}

export function parseTermsVersion(terms: string): TermsVersion {
  const [, rules, texts = rules, unicode = ''] = /^(\d+)(?:\.(\d+))?\/(.*)$/.exec(terms) ?? [];
  return { rules: Number(rules), texts: Number(texts), unicode };
}

/** The rules that a list needs. */
export interface Needs {
  /** The earliest rules that include all of its facets. */
  rules: number;
  /** True if it searches, or filters by a facet of texts. */
  texts: boolean;
}

/** True if postings of this version give a correct list. */
export function canAnswer(terms: string, needs: Needs): boolean {
  const stored = parseTermsVersion(terms);
  return stored.rules >= needs.rules && (!needs.texts || stored.texts === current.texts);
}

/** True if newer rules made the postings, so that this code would omit some. */
export function isNewer(terms: string): boolean {
  return parseTermsVersion(terms).rules > current.rules;
}

/** Returns the version of a generation once this code has written into it. */
export function writtenByUs(terms: string): string {
  const stored = parseTermsVersion(terms);
  return stored.texts === current.texts ? terms : formatted({ ...stored, texts: mixedRules });
}
