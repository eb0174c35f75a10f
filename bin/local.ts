/**
 * `npm start`: runs the whole service on this machine, as stages/dev.json declares it. `-c` overrides a
 * value, as in `npm start -- -c desk=false`, and `-c stage=prod` runs another stage.
 */
import { readContextOptions } from '../lib/local-runner/context-options.ts';
import { type RunningService, runService } from '../lib/local-runner/run.ts';
import { readSettings } from '../lib/local-runner/settings.ts';
import { loadDotEnv } from './dot-env.ts';

loadDotEnv();
const stopping = new AbortController();
let service: Promise<RunningService> | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, async () => {
    if (stopping.signal.aborted) process.exit(1);
    // A service that is still starting stops after the step that is running.
    stopping.abort();
    await (await service?.catch(() => undefined))?.stop();
    process.exit(0);
  });
}

try {
  const { context, positionals } = readContextOptions(process.argv.slice(2));
  if (positionals.length > 0)
    throw new Error(`npm start does not know ${positionals[0]}. Pass values as -c name=value`);
  service = runService(readSettings(process.env), {
    context,
    progress: (step) => console.error(`${step} …`),
    signal: stopping.signal,
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
  // After a signal, its handler ends the process.
  if (!stopping.signal.aborted) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
