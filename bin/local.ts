/** `npm start`: the whole service on this machine. */
import { runService } from '../lib/local-runner/run.ts';
import { readSettings } from '../lib/local-runner/settings.ts';

try {
  const service = await runService(readSettings(process.env), (step) => console.error(`${step} …`));

  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, async () => {
      if (stopping) process.exit(1);
      stopping = true;
      await service.stop();
      process.exit(0);
    });
  }

  const { url, token, dynamoDbEndpoint } = service;
  console.log(`
TESTIMONIALS_URL=${url}
TESTIMONIALS_TOKEN=${token}
DYNAMODB_ENDPOINT=${dynamoDbEndpoint}

# Create a testimonial
curl -i ${url}/v1/testimonials -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' \\
  -d '{"content":"Amazing product! It saved our team two days a week.","author":{"name":"Jane Doe","email":"jane@example.com"},"rating":5,"type":"text","tags":["support"]}'

# List testimonials
curl -i -G ${url}/v1/testimonials -H 'Authorization: Bearer ${token}' -d status=pending -d search=amaz

Ctrl-C stops the service.`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
