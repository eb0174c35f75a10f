/**
 * Lambda hands a function its credentials in environment variables. The SDK's other sources (profiles, SSO, STS,
 * processes, instance metadata) are a third of a bundle.
 */
export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';
