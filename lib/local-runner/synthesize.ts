/** Synthesizes the CDK app. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readTemplate, type ServiceTemplate } from './template.ts';

/** The folder of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Synthesizes the app with the context of cdk.json and reads its template. In a process of its own, for the CDK takes
 * hundreds of megabytes that a running service does not need.
 * @param outdir where the bundled functions are written
 * @param context further values, as `cdk` takes by -c
 * @throws with what it said, when it failed
 */
export async function synthesize(
  outdir: string,
  context: Record<string, string> = {},
): Promise<ServiceTemplate> {
  const child = spawn(process.execPath, [join(root, 'bin/app.ts')], {
    cwd: root,
    env: {
      ...process.env,
      CDK_OUTDIR: outdir,
      // CloudFormation's rules are for whoever deploys: to check them takes seconds.
      CDK_VALIDATION: 'false',
      CDK_CONTEXT_JSON: JSON.stringify(localContext(context)),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      said += chunk;
    });
  }
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`The CDK app cannot be synthesized: ${said.trim()}`);
  return readSynthesized(outdir);
}

/** The context of cdk.json, which the `cdk` command passes by itself and whoever else synthesizes has to. */
export function cdkJsonContext(): Record<string, unknown> {
  return JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')).context;
}

/** The context of the app as it runs here: with a table of its own, whatever table is deployed. */
export function localContext(given: Record<string, string>): Record<string, unknown> {
  const { recoveredTable: _, ...context } = { ...cdkJsonContext(), ...given };
  return context;
}

/** Reads the template of an app that was synthesized into a folder: it has one stack. */
export async function readSynthesized(outdir: string): Promise<ServiceTemplate> {
  const file = (await readdir(outdir)).find((name) => name.endsWith('.template.json')) ?? '';
  return readTemplate(JSON.parse(await readFile(join(outdir, file), 'utf8')), outdir);
}
