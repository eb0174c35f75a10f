/** Synthesizes the CDK app for the local runner, the command line and the tests. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { localTableName } from './connection.ts';
import { readTemplate, type ServiceTemplate } from './template.ts';

/**
 * Synthesizes the app with the context of cdk.json and reads its template.
 * @param outdir where the bundled functions are written
 */
export async function synthesize(outdir: string): Promise<ServiceTemplate> {
  // Imported when needed: loading the CDK takes longer than anything else at start.
  const { cdkJsonContext, testimonialsApp } = await import('../testimonials-app.ts');
  const { app, stack } = testimonialsApp({ context: cdkJsonContext(), outdir });
  app.synth();
  const template: unknown = JSON.parse(await readFile(join(outdir, stack.templateFile), 'utf8'));
  return readTemplate(template, outdir, () => localTableName);
}
