import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { readableStack } from '../../../functions/http/request-log.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'testimonials-stack-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function bundled(sourcemap: boolean): Promise<{ stack: string; module: string }> {
  const contents = `
export function failing(): string {
  return String(new Error('as told').stack);
}`;
  const outfile = join(folder, sourcemap ? 'mapped.mjs' : 'bare.mjs');
  await build({
    stdin: { contents, loader: 'ts', sourcefile: 'functions/failing.ts' },
    outfile,
    sourcemap,
    bundle: true,
    minify: true,
    format: 'esm',
  });
  const module = pathToFileURL(outfile).href;
  // In a process of its own: Jest translates stack traces by itself.
  const script = `import(${JSON.stringify(module)}).then(({ failing }) => console.log(failing()))`;
  return { stack: execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }), module };
}

test('a position in the bundle becomes the position in its source', async () => {
  const { stack, module } = await bundled(true);
  expect(stack).toContain(`${module}:1:`);
  const readable = readableStack(stack, module);
  expect(readable).toMatch(/functions\/failing\.ts:3:\d+/);
  expect(readable).not.toContain(`${module}:`);
  expect(readable).toContain('Error: as told');
});

test('without a source map the trace is unchanged', async () => {
  const { stack, module } = await bundled(false);
  expect(readableStack(stack, module)).toBe(stack);
});

test('a trace without the bundle is unchanged', () => {
  const stack = 'Error: no\n    at f (file:///elsewhere/index.mjs:1:2)';
  expect(readableStack(stack, 'file:///var/task/index.mjs')).toBe(stack);
  expect(readableStack('')).toBe('');
});
