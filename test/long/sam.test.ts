/**
 * `npm run sam` without Docker: the commands of CONTRIBUTING.md run with a `sam` that starts each function as
 * SAM's container does, in a process that has only the variables of the template. If SAM's translator is
 * installed, it must accept the template.
 */
import { execFile } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { directory } from '../file-of.ts';
import { isolated, type ServiceProcess, startService } from '../service/service-process.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

let service: ServiceProcess;
let folder: string;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  service = await startService(
    isolated(':memory:'),
    [],
    ['-c', 'desk=true', '-c', 'pages=true', '-c', 'events=true'],
  );
  folder = join(await directory(), 'sam');
  env = { ...isolated(':memory:'), DYNAMODB_ENDPOINT: service.endpoint, SAM_DIR: folder };
  await run(process.execPath, ['bin/sam.ts', '-c', 'moderation=true'], { cwd: root, env });
});
afterAll(() => service.end());

/** Invokes a function in a process of its own. */
const invocation = `
const [codePath, handler, event] = process.argv.slice(2);
const [file, name] = handler.split('.');
const { [name]: handle } = await import(codePath + '/' + file + '.mjs');
const context = { awsRequestId: 'request', getRemainingTimeInMillis: () => 10_000 };
console.log(JSON.stringify(await handle(JSON.parse(event), context)));
process.exit();
`;

/** A `sam` for \`local invoke\`. Fails for an option that is not used below. */
const sam = `#!/usr/bin/env node
const { execFileSync } = require('node:child_process');
const { readFileSync } = require('node:fs');
const [local, invoke, ...args] = process.argv.slice(2);
const options = {};
const names = [];
while (args.length > 0) {
  const arg = args.shift();
  if (/^(-t|-e|--docker-network)$/.test(arg)) options[arg] = args.shift();
  else if (arg.startsWith('-')) throw new Error('No such option: ' + arg);
  else names.push(arg);
}
const { Resources } = JSON.parse(readFileSync(options['-t']));
const { CodeUri, Handler, Runtime, Environment } = Resources[names[0]].Properties;
if (local !== 'local' || invoke !== 'invoke' || Runtime !== 'nodejs24.x') throw new Error('Not supported');
const event = readFileSync(options['-e'], 'utf8');
process.stdout.write(
  execFileSync(process.env.NODE_24, [process.env.INVOCATION, process.cwd() + '/' + CodeUri, Handler, event], {
    // SAM gives every container a region and credentials.
    env: { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', ...Environment.Variables },
  }),
);
`;

test('the commands of CONTRIBUTING.md create and list on the table of the running service', async () => {
  const page = await readFile(join(root, 'CONTRIBUTING.md'), 'utf8');
  const [, block = ''] = /```sh\n {2}npm run sam\n([\s\S]*?)```/.exec(page) ?? [];
  const commands = block.split('\n').filter((line) => line.includes('sam local invoke'));
  expect(commands).toHaveLength(2);
  const bin = await directory();
  const [program, entry] = [join(bin, 'sam'), join(bin, 'invocation.mjs')];
  await writeFile(program, sam);
  await chmod(program, 0o755);
  await writeFile(entry, invocation);
  const results = [];
  for (const command of commands.toReversed()) {
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', command], {
      cwd: folder,
      env: { ...env, PATH: `${bin}:${env.PATH}`, NODE_24: process.execPath, INVOCATION: entry },
    });
    results.push(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''));
  }
  const [created, listed] = results;
  expect([created.statusCode, listed.statusCode]).toEqual([201, 200]);
  const { id } = JSON.parse(created.body);
  const headers = { authorization: `Bearer ${service.token}` };
  const seen = await fetch(`${service.url}/v1/testimonials?limit=1`, { headers });
  expect(await seen.json()).toMatchObject({ testimonials: [{ id }] });
});

test('the template has every function with all of its variables as texts, and every route once', async () => {
  const { Resources } = JSON.parse(await readFile(join(folder, 'template.json'), 'utf8'));
  const functions = Object.entries<{ Properties: Record<string, object> }>(Resources);
  // The values of stages/dev.json, and the moderation that was asked for.
  expect(functions.map(([name]) => name).sort()).toEqual([
    'CreateTestimonial',
    'IndexTestimonials',
    'ListTestimonials',
    'ModerateTestimonials',
    'ServeDesk',
    'ServePages',
  ]);
  for (const [, { Properties }] of functions) {
    const variables = Object.entries((Properties.Environment as { Variables: object }).Variables);
    expect(variables.filter(([, value]) => typeof value !== 'string')).toEqual([]);
    // Lambda and SAM set these (https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html).
    expect(variables.filter(([name]) => /^AWS_(REGION|ACCESS|SECRET)/.test(name))).toEqual([]);
    expect(Properties.Architectures).toEqual([process.arch === 'arm64' ? 'arm64' : 'x86_64']);
    expect(Object.fromEntries(variables)).toMatchObject({ AWS_ENDPOINT_URL_DYNAMODB: service.endpoint });
  }
  const routes = functions.flatMap(([, { Properties }]) => Object.values(Properties.Events ?? {}));
  expect(routes).toHaveLength(17);
  expect(routes).toContainEqual({
    Type: 'HttpApi',
    Properties: { Method: 'POST', Path: '/v1/testimonials' },
  });
});

test('without a running service, one line says what to do', async () => {
  const nowhere = { ...env, DYNAMODB_ENDPOINT: 'http://127.0.0.1:9', SAM_DIR: await directory() };
  await expect(run(process.execPath, ['bin/sam.ts'], { cwd: root, env: nowhere })).rejects.toMatchObject({
    code: 1,
    stderr: 'No DynamoDB responds at http://127.0.0.1:9. Start the service first: npm start\n',
  });
});

/** Translates a template as AWS does, without the account's managed policies. */
const translation = `
import json, sys
import boto3
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator
template = json.load(open(sys.argv[1]))
translated = Translator({}, Parser(), boto_session=boto3.session.Session(region_name='us-east-1')).translate(template, {})
print(json.dumps(sorted({each['Type'] for each in translated['Resources'].values()})))
`;

test('SAM’s translator accepts the template', async () => {
  const isInstalled = await run('python3', ['-c', 'import samtranslator, boto3']).then(
    () => true,
    () => false,
  );
  if (!isInstalled) return console.warn('SAM’s translator is not installed: not checked');
  // Its code is not uploaded here.
  const template = JSON.parse(await readFile(join(folder, 'template.json'), 'utf8'));
  for (const resource of Object.values<{ Properties: { CodeUri: string } }>(template.Resources)) {
    resource.Properties.CodeUri = 's3://bucket/key';
  }
  const copy = join(await directory(), 'template.json');
  await writeFile(copy, JSON.stringify(template));
  const { stdout } = await run('python3', ['-c', translation, copy]);
  expect(JSON.parse(stdout)).toEqual(
    expect.arrayContaining(['AWS::ApiGatewayV2::Api', 'AWS::Lambda::Function']),
  );
});
