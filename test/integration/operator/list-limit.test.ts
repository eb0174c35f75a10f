/** Every command that lists keeps the time limit of lists, which the deletion of change markers relies on. */
import { expect, test } from '@jest/globals';
import { requestTimeoutMs } from '../../../functions/timing.ts';
import { runAdmin } from '../../admin.ts';
import { createApiClient, testimonialBody } from '../../api-client.ts';
import { testEndpoint } from '../../dynamodb.ts';
import { personWith } from '../../person.ts';

test.each([
  ['testimonial', 'list', '--organization', 'acme'],
  ['testimonial', 'list', '--organization', 'acme', '--sort', 'updatedAt', '--search', 'amaz'],
  ['testimonial', 'approve', '--organization', 'acme', '--where', 'status=pending'],
  ['stats', '--organization', 'acme'],
  ['export', '--organization', 'acme'],
])('%s %s', async (...args) => {
  const { table, create } = await createApiClient();
  await create(testimonialBody());
  let time = 0;
  // On each reading of the clock, the time of a whole request has passed.
  const clock = () => {
    time += requestTimeoutMs + 1;
    return time;
  };
  const { code, stderr } = await runAdmin(
    [...args, '--table', table.name, '--endpoint', testEndpoint()],
    {},
    { person: personWith({}), clock },
  );
  expect(stderr).toContain('The list took longer than 10 s, 3 times');
  expect(code).toBe(1);
});
