/** How the functions are bundled by esbuild. */
import { join } from 'node:path';

/** In esbuild's own words. */
export const bundling = { minify: true, target: 'node24', mainFields: ['module', 'main'] };

/**
 * What stands in the bundles for modules that a function on Lambda never uses but would load. By the module that is
 * replaced: the file that takes its place.
 */
export const substitutes: Record<string, string> = Object.fromEntries(
  [
    ['@aws-sdk/credential-provider-node', 'credential-provider-node.ts'],
    ['@aws-sdk/endpoint-cache', 'endpoint-cache.ts'],
    ['@smithy/core/event-streams', 'event-streams.ts'],
    ['node:http', 'http.ts'],
  ].map(([module, file]) => [module, join(import.meta.dirname, String(file))]),
);
