/**
 * The feed of pending testimonials: an Atom document (RFC 4287) for mail and chat tools. They have no
 * session, so its URL contains a secret.
 */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { Hono } from 'hono/tiny';
import type { Testimonial } from '../domain/testimonial.ts';
import { counted, minuteOf } from '../domain/wording.ts';
import type { Desk } from './parts/desk.ts';
import type { Html } from './parts/layout.ts';
import { deskPath } from './parts/paths.ts';

export const feedPath = `${deskPath}/feed`;

// In the query, which the firewall's log omits.
const parameter = 'secret';

export function feedUrl(api: string, secret: string): string {
  return `${api}${feedPath}?${parameter}=${secret}`;
}

/** Returns the secret in the URL of a feed, or an empty text. */
export function secretInQuery(rawQueryString = ''): string {
  return new URLSearchParams(rawQueryString).get(parameter) ?? '';
}

// A tool that reads once an hour misses nothing unless more than this arrive within the hour. The queue has
// all of them.
const maxEntries = 50;

/** The parts of a desk that the feed reads. */
export type FeedDesk = Pick<Desk, 'organization' | 'testimonials' | 'serviceUrl' | 'visit'>;

interface FeedEnv {
  Bindings: { event: { feed?: FeedDesk } };
}

/** Responds to feed readers. A feed that was renewed or ended gets a 404. */
export const feedPages = new Hono<FeedEnv>().get(feedPath, async (c: Context<FeedEnv>) => {
  const { feed } = c.env.event;
  if (!feed)
    return c.text('This feed does not exist or has ended. Ask an owner of the desk for a new link.\n', 404);
  const body = await atomFeed(feed);
  return c.body(String(body), 200, {
    'content-type': 'application/atom+xml; charset=utf-8',
    'cache-control': 'private, no-cache',
  });
});

/**
 * Returns the newest pending testimonials as a feed, without texts, names and addresses, because copies in
 * other tools outlive an erasure.
 */
async function atomFeed({ organization, testimonials, serviceUrl, visit }: FeedDesk): Promise<Html> {
  const query = { filter: { status: 'pending' }, sort: 'createdAt', order: 'desc', page: 1 } as const;
  const newest = await testimonials.list({ ...query, limit: maxEntries });
  const queue = `${serviceUrl}${deskPath}/queue`;
  const madeAt = visit.session.createdAt;
  // An entry keeps its id and time, so that tools do not announce it twice.
  const entry = ({ id, rating, createdAt }: Testimonial) => html`
  <entry>
    <id>${queue}?next=${id}</id>
    <title>${rating === undefined ? 'Unrated' : counted(rating, 'star')} · received ${minuteOf(createdAt)}</title>
    <published>${createdAt}</published>
    <updated>${createdAt}</updated>
    <link rel="alternate" type="text/html" href="${queue}?next=${id}"/>
  </entry>`;
  // No link to the feed itself, because tools would pass on the secret in it.
  return html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${serviceUrl}${feedPath}/${organization}</id>
  <title>Pending testimonials · ${organization}</title>
  <subtitle>${counted(newest.total, 'testimonial')} to review.</subtitle>
  <author><name>${organization}</name></author>
  <updated>${newest.testimonials[0]?.createdAt ?? madeAt}</updated>
  <link rel="alternate" type="text/html" href="${queue}"/>${newest.testimonials.map(entry)}
</feed>
`;
}
