/** What the local gateway adds to answers. */
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { createHttpApi } from '../../../lib/local-runner/http-api.ts';

test('pages of this machine, with its token among them, are for no other origin, whatever the API allows', async () => {
  const answer = { status: 200, headers: {}, body: Buffer.from('{}') };
  const server = createHttpApi({
    routes: new Map([['GET /v1/testimonials', async () => ({ statusCode: 200, body: '{}' })]]),
    cors: { AllowOrigins: ['*'], AllowMethods: ['GET'], AllowHeaders: [], ExposeHeaders: [], MaxAge: 60 },
    page: async () => answer,
  }).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const allowed = async (path: string) => {
    const headers = { origin: 'https://elsewhere.example' };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
    return response.headers.get('access-control-allow-origin');
  };
  expect([await allowed('/v1/testimonials'), await allowed('/docs/token')]).toEqual(['*', null]);
  server.closeAllConnections();
  server.close();
});
