/** Files as other tools write them: the same reviews, each in the tool's own words. */
import { readFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import type { Status } from '../../functions/domain/testimonial.ts';

export interface Review {
  first: string;
  last: string;
  email: string;
  company: string;
  role: string;
  text: string;
  rating: number;
  /** ISO 8601, to the minute, UTC. */
  time: string;
  status: Status;
  tags: string[];
}

export const reviews: readonly Review[] = [
  {
    first: 'Jane',
    last: 'Doe',
    email: 'jane@example.com',
    company: 'Acme Inc.',
    role: 'Head of Purchasing',
    text: 'It’s great: it saved our team two days a week & the support is quick.',
    rating: 5,
    time: '2024-03-01T10:15',
    status: 'approved',
    tags: ['support', 'team'],
  },
  {
    first: 'José',
    last: 'Amado',
    email: 'jose@example.com',
    company: 'Café Amado',
    role: 'Owner',
    text: 'Setting it up took an afternoon.\nSince then nobody has touched it.',
    rating: 4,
    time: '2024-01-14T18:02',
    status: 'pending',
    tags: ['setup'],
  },
  {
    first: 'Zoë',
    last: 'Groß',
    email: 'zoe@example.com',
    company: 'Groß GmbH',
    role: 'Leiterin Einkauf, Süd',
    text: 'Nicht für uns: zu groß und zu teuer, schöne Oberfläche.',
    rating: 2,
    time: '2023-12-24T09:00',
    status: 'rejected',
    tags: ['price', 'team'],
  },
];

export const nameOf = ({ first, last }: Review) => `${first} ${last}`;
export const dayOf = ({ time }: Review) => time.slice(0, 10);
export const approvedOrNot = ({ status }: Review) => (status === 'approved' ? status : 'pending');

/** The text of a file in the folder files. */
export const textOf = (file: string) => readFileSync(new URL(`files/${file}`, import.meta.url), 'utf8');

/** The members of a review that a file contains. */
export interface Said {
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
  said: Said[];
  /** Notes that are shown before anything is stored, such as unused columns. */
  told: (string | RegExp)[];
}

interface FileParts<Item> {
  /** If they are not those of the file in the folder files. */
  bytes?: string | Uint8Array;
  told?: ToolFile['told'];
  /** The members that the tool leaves out. */
  without?: readonly Exclude<keyof Said, 'content' | 'name'>[];
  /** The members that differ. */
  says?: (item: Item, i: number) => Partial<Said>;
}

/** A file of some reviews. */
export function fileOfItems<Item extends Review>(
  items: readonly Item[],
  tool: string,
  file: string,
  { without = [], says = () => ({}), told = [], bytes = textOf(file) }: FileParts<Item>,
): ToolFile {
  const said = items.map((item, i): Said => {
    const { text, email, company, rating, tags, status, time } = item;
    const all: Said = { content: text, name: nameOf(item), email, company, rating, tags, status, time };
    for (const field of without) delete all[field];
    return { ...all, ...says(item, i) };
  });
  return { tool, file, bytes, told, said };
}

/** A file of all reviews. */
export const toolFile = (tool: string, file: string, parts: FileParts<Review>) =>
  fileOfItems(reviews, tool, file, parts);

/**
 * A testimonial of which a file says that.
 * @param from the day that `3 days ago` is counted from
 */
export function saidAs(
  { name, email = 'unknown@example.com', company, role, daysAgo, time, ...said }: Said,
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
