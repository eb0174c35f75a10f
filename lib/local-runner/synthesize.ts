/** Synthesizes the CDK app for the local runner, the command line and the tests. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { localTableName } from './connection.ts';
import { readTemplate, type ServiceTemplate } from './template.ts';

const cdkJson = v.object({ context: v.record(v.string(), v.unknown()) });

/**
 * Synthesizes the app with the context of cdk.json and reads its template.
 * @param outdir where the bundled functions are written
 */
export async function synthesize(outdir: string): Promise<ServiceTemplate> {
  const { context } = v.parse(
    cdkJson,
    JSON.parse(await readFile(new URL('../../cdk.json', import.meta.url), 'utf8')),
  );
  // Imported when needed: loading the CDK takes longer than anything else at start.
  const { testimonialsApp } = await import('../testimonials-app.ts');
  const { app, stack } = testimonialsApp({ context, outdir });
  app.synth();
  const template: unknown = JSON.parse(await readFile(join(outdir, stack.templateFile), 'utf8'));
  return readTemplate(template, outdir, () => localTableName);
}
