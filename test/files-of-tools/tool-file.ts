/** Files as other tools write them: the same reviews, each in the tool's own words. */
import { stringify } from 'csv-stringify/sync';
import type { Status } from '../../functions/domain/testimonial.ts';

export interface Review {
  first: string;
  last: string;
  email: string;
  company: string;
  text: string;
  rating: number;
  /** ISO 8601, to the minute, UTC. */
  time: string;
  status: Status;
  tags: string[];
}

export const reviews: readonly Review[] = [
  {
    ...{ first: 'Jane', last: 'Doe', email: 'jane@example.com', company: 'Acme Inc.' },
    text: 'It’s great: it saved our team two days a week & the support is quick.',
    ...{ rating: 5, time: '2024-03-01T10:15', status: 'approved', tags: ['support', 'team'] },
  },
  {
    ...{ first: 'José', last: 'Amado', email: 'jose@example.com', company: 'Café Amado' },
    text: 'Setting it up took an afternoon.\nSince then nobody has touched it.',
    ...{ rating: 4, time: '2024-01-14T18:02', status: 'pending', tags: ['setup'] },
  },
  {
    ...{ first: 'Zoë', last: 'Groß', email: 'zoe@example.com', company: 'Groß GmbH' },
    text: 'Nicht für uns: zu groß und zu teuer, schöne Oberfläche.',
    ...{ rating: 2, time: '2023-12-24T09:00', status: 'rejected', tags: ['price', 'team'] },
  },
];

export const nameOf = ({ first, last }: Review) => `${first} ${last}`;
export const dayOf = ({ time }: Review) => time.slice(0, 10);

/** What such a file says of a review; what it does not say is absent. */
export interface Said {
  content: string;
  name: string;
  email?: string;
  company?: string;
  rating?: number;
  tags?: string[];
  status?: Status;
  /** ISO 8601, a day or a time to the minute. */
  time?: string;
  /** In place of a time: so many days before the file was read. */
  daysAgo?: number;
}

export interface ToolFile {
  tool: string;
  /** The name of the file. */
  file: string;
  bytes: string | Uint8Array;
  /** What the testimonials are then. */
  said: Said[];
  /** What somebody at a terminal types. */
  typed: 'nothing' | 'y';
  /** What is told before anything is stored: columns that nothing is made of, and how the file was opened. */
  told: (string | RegExp)[];
}

/** All that a file can say of a review, but for some of it. */
export function saidOf(review: Review, ...without: (keyof Said)[]): Said {
  const { text, email, company, rating, tags, status, time } = review;
  const all: Said = { content: text, name: nameOf(review), email, company, rating, tags, status, time };
  return Object.fromEntries(
    Object.entries(all).filter(([field]) => !without.some((each) => each === field)),
  ) as unknown as Said; // no test leaves out content or name
}

/** CSV with a column for each member of the rows. */
export function csv(rows: readonly Record<string, string>[], delimiter = ','): string {
  return stringify(
    rows.map((row) => row),
    { header: true, delimiter, record_delimiter: 'windows', quoted_match: /\n/ },
  );
}

/** Entities, as tools that export what they show have them. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('’', '&#39;').replaceAll('\n', '<br>');
}
/** What is left of such a text: the apostrophe was a plain one. */
export const unescaped = (text: string) => text.replaceAll('’', "'");
