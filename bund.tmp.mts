import { build } from 'esbuild';
import { bundling, substitutes } from './lib/infrastructure/function-bundle.ts';
const entry = process.argv[2], filter = process.argv[3] ?? '';
const { metafile } = await build({ entryPoints: [`functions/${entry}/lambda.ts`], bundle: true, write: false, metafile: true, platform: 'node', ...(bundling as any), alias: substitutes() as any, outdir: '/tmp/xx', logLevel: 'error' } as any).catch((e) => { console.log(e); process.exit(1); }) as any;
const [out] = Object.values(metafile.outputs).filter((o: any) => o.entryPoint) as any[];
const by: Record<string, number> = {};
for (const [f, { bytesInOutput }] of Object.entries(out.inputs) as any) {
  const k = filter ? (f.startsWith(filter) ? f : '') : f.startsWith('node_modules') ? f.split('/').slice(0, f.split('/')[1].startsWith('@') ? 3 : 2).join('/') : f.split('/').slice(0, 2).join('/');
  if (k) by[k] = (by[k] ?? 0) + bytesInOutput;
}
console.log(out.bytes);
for (const [k, v] of Object.entries(by).sort((a, b) => b[1] - a[1]).slice(0, 45)) console.log(v, k);
