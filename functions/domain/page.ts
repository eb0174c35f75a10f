/** Pages for visitors: forms that collect testimonials, and walls that show them. */
import * as v from 'valibot';
import { type RandomInt, randomDigits } from './base62.ts';
import { organizationName } from './organization-name.ts';
import { text } from './text.ts';

export const pageKinds = ['form', 'wall'] as const;
export type PageKind = (typeof pageKinds)[number];

export const pageTitle = text({ min: 1, max: 200 });

/** Schema of a stored page. */
export const page = v.object({
  /** 22 random base-62 characters in the page's URL, which never changes. */
  id: v.string(),
  organization: organizationName,
  kind: v.picklist(pageKinds),
  title: v.string(),
  /** The settings as typed, by name. An absent setting has the default of its kind. */
  settings: v.record(v.string(), v.string()),
  /** ISO 8601. */
  createdAt: v.string(),
});

export type Page = v.InferOutput<typeof page>;

/** Returns the ids of the testimonials that a wall shows first, in their order. */
export function pinnedBy({ settings: { pinned = '' } }: Pick<Page, 'settings'>): string[] {
  return pinned
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
}

const idLength = 22;
const idPattern = new RegExp(`^[0-9A-Za-z]{${idLength}}$`);

/** Returns a random id for a page, or a key for one submission of a form. */
export function makeRandomId(randomInt: RandomInt): string {
  return randomDigits(idLength, randomInt);
}

/** True for a text in the format of a page's id. */
export function isRandomId(text: string): boolean {
  return idPattern.test(text);
}

/** The routes of photos and recordings and of their uploads, which only a deployment with media has. */
export const mediaRoutes = { uploads: '/f/{id}/uploads', media: '/m/{id}' } as const;

/** The routes of pages in API Gateway's form, by name. */
export const pageRoutes = {
  form: '/f/{id}',
  thanks: '/f/{id}/thanks',
  wall: '/w/{id}',
  liveElement: '/embed.js',
  shareImage: '/share.png',
} as const;

/** Returns the path of a page: `/f/{id}` or `/w/{id}`. */
export function pathOfPage({ kind, id }: Pick<Page, 'kind' | 'id'>): string {
  return pageRoutes[kind].replace('{id}', id);
}
