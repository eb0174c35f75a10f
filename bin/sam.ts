/**
 * `npm run sam`: prepares the bundled functions for SAM, which runs them in Docker on the table of the
 * running local service. It writes events with a token and a template to cdk.out/sam. The template has
 * literal variables, because SAM overrides only variables that are in its template. Takes the options of `npm
 * start`: `npm run sam -- -c moderation=true`.
 */
import { cp, glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readContextOptions } from '../lib/local-runner/context-options.ts';
import { demoToken } from '../lib/local-runner/demo.ts';
import { endpointOf, readSettings, variablesFor, withTable } from '../lib/local-runner/settings.ts';
import { synthesizedApp } from '../lib/local-runner/synthesized-app.ts';
import { loadDotEnv } from './dot-env.ts';

loadDotEnv();
const folder = process.env.SAM_DIR || 'cdk.out/sam';
const endpoint = endpointOf(readSettings(process.env));
// Docker Desktop gives this name to the machine. On Linux, the container shares the machine's network:
// --docker-network host.
const reachable =
  process.platform === 'linux' ? endpoint : endpoint.replace('127.0.0.1', 'host.docker.internal');

const token = await withTable(endpoint, (table) => demoToken(table, 'npm run sam', 1)).catch(() => {
  console.error(`No DynamoDB responds at ${endpoint}. Start the service first: npm start`);
  process.exit(1);
});
const { context } = readContextOptions(process.argv.slice(2));
const { functions, routes } = await synthesizedApp({
  context,
  progress: (step) => console.error(`${step} …`),
});
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });

/** Returns SAM's events for a function: its routes. */
const eventsOf = (id: string) =>
  [...routes]
    .filter(([, target]) => target === id)
    .map(([routeKey], nth) => {
      const [method = 'ANY', path = '/$default'] = routeKey.split(' ');
      const isDefault = routeKey === '$default';
      return [
        `Route${nth}`,
        isDefault ? { Type: 'HttpApi' } : { Type: 'HttpApi', Properties: { Method: method, Path: path } },
      ];
    });

/**
 * Returns the variables that a template may set. SAM sets the others, like Lambda
 * (https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime).
 */
function ownVariables(variables: Record<string, string>): Record<string, string> {
  const reserved = ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !reserved.includes(name)));
}

const resources: Record<string, unknown> = {};
for (const [id, { name, codePath, handler, memoryMb, timeoutMs, environment }] of functions) {
  // The local service's cache may delete its copy.
  await cp(codePath, join(folder, name), { recursive: true });
  resources[name] = {
    Type: 'AWS::Serverless::Function',
    Properties: {
      CodeUri: name,
      Handler: handler,
      Runtime: 'nodejs24.x',
      // The machine's own architecture, because Docker runs another one slowly or not at all. The bundles run
      // on both.
      Architectures: [process.arch === 'arm64' ? 'arm64' : 'x86_64'],
      MemorySize: memoryMb,
      Timeout: timeoutMs / 1000,
      Environment: { Variables: { ...environment, ...ownVariables(variablesFor(reachable)) } },
      Events: Object.fromEntries(eventsOf(id)),
    },
  };
}
const template = {
  AWSTemplateFormatVersion: '2010-09-09',
  Transform: 'AWS::Serverless-2016-10-31',
  Resources: resources,
};
await writeFile(join(folder, 'template.json'), `${JSON.stringify(template, null, 2)}\n`);
for await (const file of glob('test/events/*.json')) {
  const event = (await readFile(file, 'utf8')).replaceAll('$TESTIMONIALS_TOKEN', token);
  await writeFile(join(folder, basename(file)), event);
}
const network = process.platform === 'linux' ? ' --docker-network host' : '';
console.log(`cd ${folder} && sam local invoke -t template.json -e list.json${network} ListTestimonials`);
console.log(`cd ${folder} && sam local start-api -t template.json${network}`);
