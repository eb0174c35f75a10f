/**
 * Options of the functions' bundles, and replacements for modules that a function on Lambda loads but never
 * uses.
 */
import { createHash, createHmac } from 'node:crypto';

/** Options of esbuild. */
export const bundling = { minify: true, target: 'node24', mainFields: ['module', 'main'] };

/** Returns the replacement for each module: this file, or code. A constant would end up in every bundle. */
export function substitutes(): Record<string, string> {
  return {
    '@aws-sdk/credential-provider-node': import.meta.filename,
    '@aws-sdk/middleware-endpoint-discovery': import.meta.filename,
    // DynamoDB's API has no event streams.
    '@smithy/core/event-streams': 'data:text/javascript,export {}',
    // Contains hashes written in JavaScript, for platforms without Node's.
    '@smithy/core/checksum': import.meta.filename,
    // An import of Node's own module evaluates all its properties. One of them loads another HTTP client,
    // which takes as long as half of a bundle.
    'node:http':
      "data:text/javascript,export const { Agent, request, STATUS_CODES } = process.getBuiltinModule('node:http')",
  };
}

/**
 * Lambda gives a function its credentials in environment variables. The SDK's other sources (profiles, SSO,
 * STS, processes, instance metadata) are a third of a bundle.
 */
export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';

/** SHA-256 or, with a secret, HMAC-SHA-256, with which the SDK signs. */
export class Sha256 {
  readonly #hash;

  constructor(secret?: string | Uint8Array) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret);
  }

  update(data: Uint8Array): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
}

/** The DynamoDB client resolves the configuration of endpoint discovery, but none of our commands uses it. */
export function resolveEndpointDiscoveryConfig<Config>(config: Config): Config {
  return config;
}
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {};
