/** The settings in cdk.json that whoever synthesizes the app needs. */
import { readFileSync } from 'node:fs';
import * as v from 'valibot';

const cdkJson = v.object({ context: v.record(v.string(), v.unknown()) });

/** The context of cdk.json, which the `cdk` command passes by itself and whoever else synthesizes has to. */
export function cdkJsonContext(): Record<string, unknown> {
  return v.parse(cdkJson, JSON.parse(readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8')))
    .context;
}
