/** That what the bundles leave out of the SDK is still left out: an upgrade can move what a substitute stands for. */
import { relative } from 'node:path';
import { expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { bundling, substitutes } from '../../../../lib/infrastructure/function-bundle/bundling.ts';

const names = ['create-testimonial', 'list-testimonials', 'index-testimonials'];

/** The files that a function's bundle is made of, and what it imports from outside. */
async function inputsOf(name: string): Promise<{ files: string[]; external: string[] }> {
  const { metafile } = await build({
    ...bundling,
    mainFields: [...bundling.mainFields],
    alias: { ...substitutes },
    entryPoints: [`functions/${name}/lambda.ts`],
    bundle: true,
    format: 'esm',
    platform: 'node',
    metafile: true,
    write: false,
  });
  const external = Object.values(metafile.inputs).flatMap(({ imports }) =>
    imports.filter((each) => each.external).map(({ path }) => path),
  );
  return { files: Object.keys(metafile.inputs), external };
}

const bundles = await Promise.all(names.map(async (name) => ({ name, ...(await inputsOf(name)) })));

test.each(Object.entries(substitutes))('%s has its substitute in a bundle', (_module, file) => {
  const path = relative(process.cwd(), file);
  expect(bundles.filter(({ files }) => files.includes(path)).map(({ name }) => name)).not.toEqual([]);
});

test.each(bundles)('the bundle of $name has nothing that a substitute stands for', ({ files, external }) => {
  const folders = Object.keys(substitutes)
    .filter((module) => !module.startsWith('node:'))
    // As packages lay out what they export under a path.
    .map((module) => new RegExp(`node_modules/${module.replace(/^(@[^/]+\/[^/]+)\//, '$1/.*/')}/`));
  expect(files.filter((file) => folders.some((folder) => folder.test(file)))).toEqual([]);
  expect(external).not.toContain('node:http');
  expect(external).not.toContain('http');
});
