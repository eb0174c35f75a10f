/**
 * `npm start`: the whole service on this machine, with a desk and pages. It takes values as `cdk` does: `npm start -- -c desk=false`.
 * With `-c stage=prod` it has what that stage declares.
 */
import { parseArgs } from 'node:util';
import { type RunningService, runService } from '../lib/local-runner/run.ts';
import { readSettings } from '../lib/local-runner/settings.ts';
import { loadDotEnv } from './dot-env.ts';

loadDotEnv();
let stopping = false;
let service: Promise<RunningService> | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, async () => {
    if (stopping) process.exit(1);
    stopping = true;
    // A service that is still starting has to start before it can stop.
    await (await service?.catch(() => undefined))?.stop();
    process.exit(0);
  });
}

try {
  const { context = [] } = parseArgs({
    options: { context: { type: 'string', short: 'c', multiple: true } },
  }).values;
  if (context.some((each) => !/^[^=]+=/.test(each)))
    throw new Error('-c takes name=value, as in -c corsOrigins=http://localhost:5173');
  const names = context.map((each) => each.split('=', 1).join());
  const duplicate = names.find((name, i) => names.indexOf(name) < i);
  if (duplicate !== undefined) throw new Error(`-c ${duplicate} is repeated: give it one value`);
  service = runService(readSettings(process.env), {
    context: {
      ...(names.includes('stage') ? {} : { desk: 'true', pages: 'true' }),
      ...Object.fromEntries(context.map((each) => each.split(/=(.*)/s))),
    },
    progress: (step) => console.error(`${step} …`),
  });
  const { url, token, deskLink, pageLinks, dynamoDbEndpoint } = await service;
  const links = [
    ...(pageLinks ? ['# Send a testimonial with a form', pageLinks.form] : []),
    ...(deskLink === undefined
      ? []
      : [`# ${pageLinks ? 'Approve it' : 'Moderate'} at the desk (sign-in link, works once)`, deskLink]),
    ...(pageLinks ? ['# See it on a wall', pageLinks.wall] : []),
  ];
  console.log(`
${links.map((line) => (line.startsWith('#') ? line : `${line}\n`)).join('\n')}
export TESTIMONIALS_URL=${url}
export TESTIMONIALS_TOKEN=${token}
export DYNAMODB_ENDPOINT=${dynamoDbEndpoint}

# Create a testimonial
curl -i ${url}/v1/testimonials -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' \\
  -d '{"content":"Amazing product! It saved our team two days a week.","author":{"name":"Jane Doe","email":"jane@example.com"},"rating":5,"type":"text","tags":["support"]}'

# List testimonials
curl -i -G ${url}/v1/testimonials -H 'Authorization: Bearer ${token}' -d status=pending -d search=amaz

# Read and try the API in a browser
${url}/docs

Ctrl-C stops the service.`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
