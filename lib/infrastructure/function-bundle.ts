/**
 * Options of the functions' bundles, and replacements for modules that a function on Lambda loads but never
 * uses.
 */

/** Options of esbuild. */
export const bundling = { minify: true, target: 'node24', mainFields: ['module', 'main'] };

/** Returns the replacement for each module: this file, or code. A constant would end up in every bundle. */
export function substitutes(): Record<string, string> {
  return {
    '@aws-sdk/credential-provider-node': import.meta.filename,
    '@aws-sdk/middleware-endpoint-discovery': import.meta.filename,
    // DynamoDB's API has no event streams.
    '@smithy/core/event-streams': 'data:text/javascript,export {}',
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

/** The DynamoDB client resolves the configuration of endpoint discovery, but none of our commands uses it. */
export function resolveEndpointDiscoveryConfig<Config>(config: Config): Config {
  return config;
}
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {};
