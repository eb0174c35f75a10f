/**
 * What the exports of other services call their columns. A preset is chosen by the header of the file.
 *
 * - Judge.me: the columns of its import template, which its export has too.
 * - Trustpilot: the columns of its export of service reviews, as data sets made from it show them.
 * - Senja: the fields that its REST API documents.
 * - Testimonial.to: the fields of its API, as clients of it show them.
 */
import type { LineField } from './imported-line.ts';

/** For each field the columns that it is made of; of several, those that are not blank, one after another. */
export type ColumnMap = Partial<Record<LineField, readonly string[]>>;

export interface Preset {
  /** The service. */
  name: string;
  /** A file that has all of these columns is one of its. */
  knownBy: readonly string[];
  map: ColumnMap;
}

export const presets: readonly Preset[] = [
  {
    name: 'Judge.me',
    knownBy: ['body', 'rating', 'review_date', 'reviewer_name', 'reviewer_email'],
    map: {
      content: ['title', 'body'],
      'author.name': ['reviewer_name'],
      'author.email': ['reviewer_email'],
      rating: ['rating'],
      createdAt: ['review_date'],
    },
  },
  {
    name: 'Trustpilot',
    knownBy: ['Review Content', 'Review Stars', 'Review Username'],
    map: {
      content: ['Review Title', 'Review Content'],
      'author.name': ['Review Username'],
      'author.email': ['Review User Email'],
      rating: ['Review Stars'],
      createdAt: ['Review Created (UTC)'],
    },
  },
  {
    name: 'Senja',
    knownBy: ['customer_name', 'text'],
    map: {
      content: ['title', 'text'],
      'author.name': ['customer_name'],
      'author.email': ['customer_email'],
      'author.company': ['customer_company'],
      rating: ['rating'],
      type: ['type'],
      tags: ['tags'],
      status: ['approved'],
      createdAt: ['date'],
    },
  },
  {
    name: 'Testimonial.to',
    knownBy: ['name', 'email', 'testimonial'],
    map: {
      content: ['testimonial'],
      'author.name': ['name'],
      'author.email': ['email'],
      'author.company': ['title'],
      rating: ['rating'],
      tags: ['tags'],
    },
  },
];

/** The preset of a file with these columns. */
export function presetOf(columns: readonly string[]): Preset | undefined {
  return presets.find(({ knownBy }) => knownBy.every((column) => columns.includes(column)));
}
