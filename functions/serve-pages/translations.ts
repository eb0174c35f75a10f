/** The translated texts of forms and walls. */
import type { FormTextName } from './form-texts.ts';
import type { TextName } from './texts.ts';
import de from './translations/de.json' with { type: 'json' };
import es from './translations/es.json' with { type: 'json' };
import fr from './translations/fr.json' with { type: 'json' };
import pt from './translations/pt.json' with { type: 'json' };

interface Translation {
  form: Record<FormTextName, string>;
  wall: Partial<Record<TextName, string>>;
}

const translations: Readonly<Record<string, Translation>> = { de, es, fr, pt };

/** Returns the texts in a language, if they are translated. The texts for `pt-BR` are those for `pt`. */
export function translationOf(lang: string): Translation | undefined {
  return translations[new Intl.Locale(lang).language];
}
