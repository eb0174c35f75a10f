/** Photos and recordings for people of the organization, whatever the status of their testimonials. */
import { Hono } from 'hono/tiny';
import { costOfDelivery } from '../../fair-use/prices.ts';
import { mediaResponse } from '../../media/media.ts';
import { isMediaId } from '../../media/media-view.ts';
import type { DeskEnv, DeskPages } from '../parts/desk.ts';

export const mediaPages: DeskPages = new Hono<DeskEnv>().get('/:id', async (c) => {
  const { media, organization, testimonials, payForMedia } = c.var.desk;
  const id = c.req.param('id');
  const found = isMediaId(id) ? await media?.find(id) : undefined;
  if (!media || found?.organization !== organization) return c.notFound();
  const record = await testimonials.find(found.testimonial);
  if (!record?.testimonial.media?.[found.kind]) return c.notFound();
  const method = c.req.method === 'HEAD' ? 'HEAD' : 'GET';
  if (found.kind === 'recording' && method === 'GET') await payForMedia(costOfDelivery(found.bytes));
  const response = await mediaResponse(media.bucket, found, {
    method,
    seen: c.req.header('if-none-match'),
    // Only these people may see them, and an erased photo must be gone within a minute.
    caching: { 'cache-control': 'private, max-age=60' },
  });
  if (!response) return c.notFound();
  const { statusCode, headers, body, isBase64Encoded } = response;
  return new Response(isBase64Encoded ? Buffer.from(body, 'base64') : null, { status: statusCode, headers });
});
