/** The texts of a form besides its settings. Translations stand in `translations/`. */
import { translationOf } from './translations.ts';

/** The English texts; braces are placeholders. */
export const englishFormTexts = {
  content: 'Your testimonial',
  contentHint: 'A few sentences about your experience with us.',
  rating: 'Your rating',
  noRating: 'No rating',
  stars: '{count} of 5 stars',
  name: 'Your name',
  nameHint: 'Shown with your testimonial.',
  email: 'Your e-mail address',
  emailHint: 'Never shown.',
  company: 'Your company',
  companyHint: 'Shown with your name.',
  optional: 'optional',
  consent:
    'I agree that you may publish my testimonial and the details above, except my e-mail address. I can withdraw this consent at any time.',
  send: 'Send',
  sending: 'Sending …',
  thanksTitle: 'Thank you',
  thanks: 'Your testimonial has arrived. We read each one before we publish it.',
  link: 'Continue',
  left: 'Characters left: {count}',
  tooMany: 'Characters too many: {count}',
  restored: 'This is what you wrote earlier on this device.',
  discard: 'Start again',
  required: 'Please fill this in.',
  length: 'Please write {min} to {max} characters.',
  emailRule: 'Please enter a valid e-mail address.',
  consentRule: 'Please tick this box, so that we may publish your testimonial.',
  invalidTitle: 'Please check your answers',
  invalid: 'Nothing was sent yet.',
  usedTitle: 'You have already sent this form',
  used: 'We have your first text. Send again only if you want to give us this one as well.',
  againTitle: 'Please send it once more',
  again: 'Nothing was sent yet. Your text is still here.',
  busyTitle: 'Please try again in a minute',
  busy: 'Many people are writing right now. Nothing was sent yet. Your text is still here.',
  failedTitle: 'Your testimonial could not be sent',
  failed: 'Your text is still here. Please send it again in a moment; it arrives only once.',
  tooLargeTitle: 'Your testimonial is too long',
  tooLarge: 'Please go back and make it shorter.',
} as const;

export type FormTextName = keyof typeof englishFormTexts;

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
  const all = { ...englishFormTexts, ...translationOf(lang)?.form, ...own };
  return (name: FormTextName, values: Readonly<Record<string, number>> = {}): string =>
    all[name].replace(/\{(\w+)\}/g, (placeholder, key) => values[key]?.toLocaleString(lang) ?? placeholder);
}
