/** The translated texts of forms and walls. */
import de from './translations/de.json' with { type: 'json' };
import es from './translations/es.json' with { type: 'json' };
import fr from './translations/fr.json' with { type: 'json' };
import pt from './translations/pt.json' with { type: 'json' };

/** The texts by name. */
type Translation = Record<'form' | 'wall', Record<string, string>>;

const translations: Readonly<Record<string, Translation>> = { de, es, fr, pt };

/** Returns the texts in a language, if they are translated. The texts for `pt-BR` are those for `pt`. */
export function translationOf(lang: string): Translation | undefined {
  return translations[new Intl.Locale(lang).language];
}
