/** Measures what a function costs before its first request: the size of its bundle and the time to load it. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { bundling, substitutes } from '../../lib/infrastructure/function-bundle.ts';
import type { ServiceTemplate } from '../../lib/local-runner/template.ts';
import { type Spread, spreadOf } from './statistics.ts';

export interface ColdStart {
  name: string;
  bundleBytes: number;
  /** Milliseconds to import the bundle above those to import nothing, without opening connections. */
  importMs: Spread;
  /** The same with the connections that it opens to a database that answers at once. */
  readyMs: Spread;
}

/** @param runs processes started for each function, in turns with a bare one */
export async function measureColdStarts(
  { functions }: ServiceTemplate,
  folder: string,
  runs: number,
): Promise<ColdStart[]> {
  const bare = join(folder, 'bare.mjs');
  await writeFile(bare, '');
  const subjects = await Promise.all(
    [...functions.values()].map(async ({ name, codePath, environment }) => {
      const bundle = join(codePath, 'index.mjs');
      const unconnected = await bundleWithoutOpening(name, folder);
      const { size } = await stat(bundle);
      return { name, bundle, unconnected, environment, size, imports: [] as number[], ready: [] as number[] };
    }),
  );

  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end('{}'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // It listens on a port, not on a pipe.
  const { port } = server.address() as AddressInfo;
  const run = (module: string, environment: Record<string, string>) =>
    importTime(module, {
      ...environment,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'bench',
      AWS_SECRET_ACCESS_KEY: 'bench',
      AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${port}`,
    });
  for (let i = 0; i < runs; i += 1) {
    const nothing = await run(bare, {});
    for (const { bundle, unconnected, environment, imports, ready } of subjects) {
      imports.push((await run(unconnected, environment)) - nothing);
      ready.push((await run(bundle, environment)) - nothing);
    }
  }
  server.closeAllConnections();
  server.close();
  return subjects.map(({ name, size, imports, ready }) => ({
    name,
    bundleBytes: size,
    importMs: spreadOf(imports),
    readyMs: spreadOf(ready),
  }));
}

/** Milliseconds that a new process takes to import a module. */
async function importTime(module: string, env: Record<string, string>): Promise<number> {
  const script = `
    const begin = performance.now();
    await import(${JSON.stringify(pathToFileURL(module).href)});
    process.stdout.write(String(performance.now() - begin), () => process.exit());`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    env,
  });
  return Number(stdout);
}

/** The function's bundle, but for the opening of connections. */
async function bundleWithoutOpening(name: string, folder: string): Promise<string> {
  // CreateTestimonial: functions/create-testimonial
  const source = name.replaceAll(/(?<!^)[A-Z]/g, '-$&').toLowerCase();
  const outfile = join(folder, `${source}.mjs`);
  await build({
    entryPoints: [join(import.meta.dirname, '../../functions', source, 'lambda.ts')],
    outfile,
    ...bundling,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
    alias: substitutes(),
    plugins: [
      {
        name: 'without opening connections',
        setup({ onLoad }) {
          onLoad({ filter: /open-connections\.ts$/ }, () => ({
            contents: 'export const openConnections = () => {};',
          }));
        },
      },
    ],
  });
  return outfile;
}
