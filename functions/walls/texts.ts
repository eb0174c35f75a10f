/** What a wall says itself, and how it writes numbers and days in its language. */

/** Every text by its name. What stands in braces is put in. */
export const englishTexts = {
  heading: 'What customers say about {name}',
  testimonials: 'Testimonials',
  stars: '{rating} out of 5 stars',
  whole: 'Read it all',
  less: 'Show less',
  tags: 'Tags:',
  more: 'Show more',
  previous: 'Previous',
  next: 'Next',
  stop: 'Stop',
  some: 'Showing {shown} of {found} testimonials',
  one: '1 testimonial',
  all: '{found} testimonials',
  none: 'There are no testimonials yet.',
  unmatched: 'No testimonial matches.',
  failed: 'The other testimonials could not be loaded. Try again in a moment.',
  search: 'Search',
  rating: 'Rating',
  anyRating: 'All',
  allRatings: 'All ratings',
  starsOnly: '{rating} stars',
  starsAndMore: '{rating} stars and more',
  tag: 'Tag',
  allTags: 'All tags',
  average: '{average} out of 5 stars on average',
  ratedOnce: '1 rating',
  rated: '{count} ratings',
  summary: 'Rated {average} out of 5.',
} as const;

export type TextName = keyof typeof englishTexts;

/** The language that a wall says things in. */
export interface Language {
  /** The language of numbers and days, as `de` or `pt-BR`. */
  lang: string;
  /** Texts that stand in place of the English ones. */
  texts: Partial<Record<TextName, string>>;
}

/** What a wall says with. */
export type Voice = ReturnType<typeof voiceOf>;

export function voiceOf({ lang, texts }: Language) {
  const days = new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeZone: 'UTC' });
  return {
    /** @param values what is put in; numbers as the language writes them, with as many digits behind the point as are said */
    say(name: TextName, values: Readonly<Record<string, string | number>> = {}): string {
      return (texts[name] ?? englishTexts[name]).replace(/\{(\w+)\}/g, (whole, key) => {
        const value = values[key];
        return typeof value === 'number' ? this.number(value) : (value ?? whole);
      });
    },
    number: (value: number, digits = 0) =>
      value.toLocaleString(lang, { minimumFractionDigits: digits, maximumFractionDigits: digits }),
    /** @param date as 2026-11-21 */
    day: (date: string) => days.format(new Date(date)),
  };
}
