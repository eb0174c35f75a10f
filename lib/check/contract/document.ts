/** The OpenAPI document that the service serves. */
import assert from 'node:assert/strict';
import { routeKey } from '../../../functions/http/operation.ts';
import { documentRoute } from '../../../functions/list-testimonials/document.ts';
import { contracts } from '../../openapi/document.ts';
import { expectEqual, expectStatus } from './expectations.ts';
import type { Organization } from './organization.ts';
import { rule, type Suite } from './suite.ts';

const { path } = documentRoute;

async function documentOf(api: Organization) {
  const response = await api.visit({ path });
  expectStatus(response, 200);
  return response.body;
}

export const openApi: Suite = {
  name: 'The OpenAPI document',
  rules: [
    rule('everyone gets it, from any page that the service allows, and caches may keep it', async (api) => {
      const response = await api.visit({ path });
      expectStatus(response, 200);
      const { 'content-type': type, 'cache-control': caching, vary = '' } = response.headers;
      expectEqual('Content-Type', type, 'application/json');
      expectEqual('Cache-Control', caching, 'public, max-age=300');
      assert(/\borigin\b/i.test(vary), `Vary: ${vary}`);
    }),
    rule('it has the operations of this service, and no other', async (api) => {
      const { paths, tags } = await documentOf(api);
      const { moderation, media } = api.service.driver;
      const has = { Testimonials: true, Media: media, Moderation: moderation };
      const own = contracts.filter(({ tag }) => has[tag]);
      const documented = Object.entries(paths).flatMap(([at, operations]) =>
        Object.keys(Object(operations)).map((method) => `${method.toUpperCase()} ${at}`),
      );
      expectEqual('the operations', documented, own.map(routeKey));
      const names: string[] = tags.map(({ name }: { name: string }) => name);
      expectEqual('the tags', names, [...new Set(own.map(({ tag }) => tag))]);
    }),
    rule('it describes photos and recordings if this service has them', async (api) => {
      const { components } = await documentOf(api);
      const schemas: [string, { properties?: object }][] = Object.entries(components.schemas);
      const withMedia = schemas.filter(([, { properties = {} }]) => 'media' in properties);
      const names = ['ListedTestimonial', 'PublishedTestimonial', 'Testimonial', 'TestimonialInput'];
      const named = withMedia.map(([name]) => name).sort();
      expectEqual('the schemas with media', named, api.service.driver.media ? names : []);
    }),
    rule('it names the absolute URL of this service', async (api) => {
      const { servers } = await documentOf(api);
      const urls: string[] = servers.map(({ url }: { url: string }) => url);
      expectEqual('the URLs', urls, urls.map((url) => URL.parse(url)?.origin).slice(0, 1));
    }),
  ],
};
