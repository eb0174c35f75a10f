/**
 * The content of the bundles: no module that has a substitute, which an upgrade can move, and only reviewed
 * packages.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { Sha256 as ShaOfSdk } from '@smithy/core/checksum';
import { build } from 'esbuild';
import fc from 'fast-check';
import { bundling, Sha256, substitutes } from '../../../lib/infrastructure/function-bundle.ts';

/** The packages in every bundle. */
const shared = [
  '@aws-lambda-powertools/commons',
  '@aws-lambda-powertools/logger',
  '@aws/lambda-invoke-store',
  '@aws-sdk/client-dynamodb',
  '@aws-sdk/lib-dynamodb',
  '@aws-sdk/util-dynamodb',
  '@aws-sdk/core',
  '@aws-sdk/credential-provider-env',
  '@aws-sdk/dynamodb-codec',
  '@smithy/core',
  '@smithy/node-http-handler',
  '@smithy/signature-v4',
  '@smithy/types',
  'p-limit',
  'valibot',
  'yocto-queue',
];
const ofRequests = [
  '@middy/core',
  '@middy/http-content-encoding',
  '@middy/http-header-normalizer',
  '@middy/util',
  'quick-lru',
];

/** Each package runs with the rights of the function. Review a new one before you add it. */
const packages: Record<string, string[]> = {
  'create-testimonial': [...shared, ...ofRequests, '@middy/http-json-body-parser'],
  'list-testimonials': [...shared, ...ofRequests],
  'moderate-testimonials': [...shared, ...ofRequests, '@middy/http-json-body-parser'],
  'serve-desk': [...shared, ...ofRequests, 'hono', 'p-map', 'qr'],
  'serve-pages': [...shared, ...ofRequests, 'hono'],
  'publish-events': [...shared, 'p-map', '@aws-sdk/client-eventbridge', '@aws-sdk/signature-v4-multi-region'],
  'index-testimonials': [...shared, 'p-map'],
};

/** The packages in the bundle of the check before a rollout, in which nothing is replaced. */
const ofCheck = [
  ...shared,
  'p-map',
  '@aws-sdk/client-codedeploy',
  '@aws-sdk/client-lambda',
  '@aws-sdk/client-sqs',
  '@aws-sdk/middleware-sdk-sqs',
  '@aws-sdk/endpoint-cache',
  '@aws-sdk/middleware-endpoint-discovery',
  '@aws-sdk/signature-v4-multi-region',
  '@aws-sdk/xml-builder',
  // Sources of credentials.
  ...['http', 'ini', 'login', 'node', 'process', 'sso', 'web-identity'].map(
    (source) => `@aws-sdk/credential-provider-${source}`,
  ),
  '@aws-sdk/nested-clients',
  '@aws-sdk/token-providers',
  '@smithy/credential-provider-imds',
  'mnemonist',
  'obliterator',
  // Responses are compared with the OpenAPI document.
  'ajv',
  'fast-deep-equal',
  'fast-uri',
  'json-schema-traverse',
];

/** Returns the files and imports of a function's bundle, and the packages that are left in it. */
async function inputsOf(entry: string, alias: Record<string, string> = {}) {
  const { metafile } = await build({
    ...bundling,
    alias,
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    platform: 'node',
    metafile: true,
    write: false,
  });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  const external = imports.filter((each) => each.external).map(({ path }) => path);
  const imported = imports.flatMap(({ original = [] }) => original);
  const [output] = Object.values(metafile.outputs);
  const left = Object.entries(output?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  const installed = left.flatMap(([file]) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []);
  const bytes = output?.bytes ?? Number.NaN;
  return {
    files: Object.keys(metafile.inputs),
    external,
    imported,
    packages: [...new Set(installed)],
    bytes,
  };
}

const bundles = await Promise.all(
  Object.keys(packages).map(async (name) => ({
    name,
    ...(await inputsOf(`functions/${name}/lambda.ts`, substitutes())),
  })),
);
const bundleOfCheck = await inputsOf('lib/check/lambda.ts');

test.each(bundles)('the bundle of $name has only reviewed packages', (bundle) => {
  expect(bundle.packages.sort()).toEqual(packages[bundle.name]?.sort());
});

test('the bundle of the check before a rollout has only reviewed packages', () => {
  expect(bundleOfCheck.packages.toSorted()).toEqual(ofCheck.toSorted());
});

test('everything deployed is the product’s: no file of tests, and no package for development, which the SBOM leaves out', () => {
  const deployed = [...bundles, bundleOfCheck];
  expect(deployed.flatMap(({ files }) => files).filter((file) => file.startsWith('test/'))).toEqual([]);
  const lock: { packages: Record<string, { dev?: true }> } = JSON.parse(
    readFileSync('package-lock.json', 'utf8'),
  );
  const installed = deployed.flatMap((bundle) => bundle.packages);
  expect(installed.filter((name) => lock.packages[`node_modules/${name}`]?.dev)).toEqual([]);
});

// A cold start unpacks and parses the bundle.
test.each([
  ['create-testimonial', 306],
  ['list-testimonials', 312],
  ['moderate-testimonials', 288],
  ['serve-desk', 593],
  ['serve-pages', 372],
])('the bundle of %s has at most %i KB', (name, kilobytes) => {
  const bytes = bundles.find((bundle) => bundle.name === name)?.bytes;
  expect(bytes).toBeLessThanOrEqual(kilobytes * 1000);
});

test('the hash of the bundles is that of the SDK, with a secret and without', async () => {
  const bytes = fc.uint8Array({ maxLength: 200 });
  const secret = fc.option(fc.oneof(fc.string({ minLength: 1 }), fc.uint8Array({ minLength: 1 })), {
    nil: undefined,
  });
  await fc.assert(
    fc.asyncProperty(secret, fc.array(bytes), async (secret, parts) => {
      const hashes = [new Sha256(secret), new ShaOfSdk(secret)];
      for (const hash of hashes) for (const part of parts) hash.update(part);
      const [digest, ofSdk] = await Promise.all(hashes.map((hash) => hash.digest()));
      expect(Buffer.from(digest ?? []).toString('hex')).toBe(Buffer.from(ofSdk ?? []).toString('hex'));
    }),
  );
});

test.each(Object.keys(substitutes()))('a bundle imports %s, so that its substitute is needed', (module) => {
  expect(bundles.flatMap(({ imported }) => imported)).toContain(module);
});

test.each(bundles)('the bundle of $name has no module that has a substitute', ({ files, external }) => {
  const folders = Object.keys(substitutes())
    .filter((module) => !module.startsWith('node:'))
    // The file layout of packages with subpath exports.
    .map(
      (module) => new RegExp(`node_modules/${module.replace(/^(@[^/]+\/[^/]+)\//, '$1/[^/]+/submodules/')}/`),
    );
  expect(files.filter((file) => folders.some((folder) => folder.test(file)))).toEqual([]);
  expect(external).not.toContain('node:http');
  expect(external).not.toContain('http');
});
