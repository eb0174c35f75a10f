/** Files as other tools write them: the same reviews, each in the tool's own words. */
import { readFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import type { Status } from '../../functions/domain/testimonial.ts';

export interface Review {
  name: string;
  email: string;
  company: string;
  role: string;
  text: string;
  /** The answer to another question. */
  other: string;
  rating: number;
  /** ISO 8601, to the minute, UTC. */
  time: string;
  status: Status;
  tags: string[];
}

type Row = Omit<Review, 'rating' | 'tags'> & { file: string; stars: string; tags: string };
const rows: Row[] = parse(readFileSync(new URL('reviews.csv', import.meta.url)), { columns: true });

/** The reviews of tools, or the answers to a questionnaire in a language. */
export const reviewsIn = (wanted: string) =>
  rows
    .filter(({ file }) => file === wanted)
    .map(({ file: _, stars, tags, ...row }): Review => {
      return { ...row, rating: Number(stars), tags: tags.split(' ').filter(Boolean) };
    });

export const dayOf = ({ time }: Review) => time.slice(0, 10);
export const approvedOrNot = ({ status }: Review) => (status === 'approved' ? status : 'pending');

/** The text of a file in the folder files. */
export const textOf = (file: string) => readFileSync(new URL(`files/${file}`, import.meta.url), 'utf8');

/** The members of a review that a file contains. */
export interface ExpectedReview {
  content: string;
  name: string;
  email?: string;
  company?: string;
  role?: string;
  rating?: number;
  tags?: string[];
  status?: Status;
  /** ISO 8601, a day or a time to the minute. */
  time?: string;
  /** Instead of a time: days before the file was read. */
  daysAgo?: number;
}

export interface ToolFile {
  tool: string;
  /** The name of the file. */
  file: string;
  bytes: string | Uint8Array;
  /** The testimonials that the import then makes. */
  said: ExpectedReview[];
  /** Notes that are shown before anything is stored, such as unused columns. */
  told: (string | RegExp)[];
}

export interface FileParts {
  /** If they are not those of the file in the folder files. */
  bytes?: string | Uint8Array;
  told?: ToolFile['told'];
  /** The members that the tool leaves out. */
  without?: readonly Exclude<keyof ExpectedReview, 'content' | 'name'>[];
  /** The members that differ. */
  says?: (review: Review, i: number) => Partial<ExpectedReview>;
}

/** A file of these reviews, or of those of tools. */
export function toolFile(
  tool: string,
  file: string,
  { without = [], says = () => ({}), told = [], bytes = textOf(file) }: FileParts,
  reviews: readonly Review[] = reviewsIn('tools'),
): ToolFile {
  const said = reviews.map((review, i): ExpectedReview => {
    const { text: content, name, email, company, rating, tags, status, time } = review;
    const all: ExpectedReview = { content, name, email, company, rating, tags, status, time };
    for (const field of without) delete all[field];
    return { ...all, ...says(review, i) };
  });
  return { tool, file, bytes, told, said };
}

/**
 * A testimonial of which a file says that.
 * @param from the day that `3 days ago` is counted from
 */
export function expectedLineOf(
  { name, email = 'unknown@example.com', company, role, daysAgo, time, ...said }: ExpectedReview,
  from: string,
) {
  const day = daysAgo === undefined ? time : dayBefore(from, daysAgo);
  return {
    tags: [],
    status: 'pending',
    type: 'text',
    ...said,
    author: { name, email, ...(company !== undefined && { company }), ...(role !== undefined && { role }) },
    createdAt:
      day === undefined ? expect.any(String) : new Date(day.includes('T') ? `${day}Z` : day).toISOString(),
  };
}

const dayBefore = (day: string, days: number) =>
  new Date(Date.parse(day) - days * 86_400_000).toISOString().slice(0, 10);
