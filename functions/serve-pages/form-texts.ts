/** The texts of a form besides its settings. */
import { englishFormTexts, type FormTextName, translationOf } from './translations.ts';

interface FormWords {
  lang: string;
  /** Replacements of texts; `consent` and `thanks` also replace the texts with their names. */
  texts: Partial<Record<FormTextName, string>>;
  consent?: string;
  thanks?: string;
}

/**
 * Returns a function that says a form's texts: those of its settings, then the translations into its language, then the English ones.
 * It formats the numbers of placeholders.
 */
export function formVoice({ lang, texts, consent, thanks }: FormWords) {
  const own = { ...texts, ...(consent && { consent }), ...(thanks && { thanks }) };
  const all = { ...englishFormTexts(), ...translationOf(lang)?.form, ...own };
  return (name: FormTextName, values: Readonly<Record<string, number>> = {}): string =>
    all[name].replace(/\{(\w+)\}/g, (placeholder, key) => values[key]?.toLocaleString(lang) ?? placeholder);
}
