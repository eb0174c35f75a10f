/** Determines which optional parts a deployment has. */
import { pageRoutes } from '../../functions/domain/page.ts';
import { deskPath } from '../../functions/serve-desk/parts/paths.ts';
import { type ApiRequest, path, type Send } from './contract/requests.ts';
import { faultText } from './contract/suite.ts';

/**
 * The optional parts, each with its name, and a request without a token to which only a deployment without
 * the part responds 404.
 */
const optionalParts = {
  moderation: { name: 'operations on one testimonial (moderation)', request: { path: `${path}/test_1` } },
  pages: { name: 'forms and walls (pages)', request: { path: pageRoutes.liveElement } },
  media: { name: 'photos and recordings (media)', request: { method: 'POST', path: '/v1/uploads' } },
  desk: { name: 'a desk (desk)', request: { path: deskPath } },
} as const satisfies Record<string, { name: string; request: ApiRequest }>;

export type OptionalPart = keyof typeof optionalParts;

const partNames = Object.keys(optionalParts) as OptionalPart[]; // of the literal above

/**
 * Returns the optional parts that a deployment has. A part exists unless its request gets a 404.
 * @throws an error with advice if there is no response
 */
export async function findParts(send: Send, url: string): Promise<OptionalPart[]> {
  const responses = await Promise.all(partNames.map((part) => send(optionalParts[part].request))).catch(
    (error: unknown) => {
      throw new Error(
        `No API responds at ${url} (${faultText(error)}). Check --url, and that the service runs.`,
      );
    },
  );
  return partNames.filter((_, i) => responses[i]?.status !== 404);
}

/** Returns a sentence about the parts that were found. */
export function partsText(found: readonly OptionalPart[]): string {
  const namesOf = (parts: readonly OptionalPart[]) => parts.map((part) => optionalParts[part].name);
  const missing = namesOf(partNames.filter((part) => !found.includes(part)));
  return `Found: ${['the API', ...namesOf(found)].join(', ')}${missing.length > 0 ? `. Not found: ${missing.join(', ')}` : ''}`;
}
