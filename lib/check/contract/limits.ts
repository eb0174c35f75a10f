/** Requests that are too large: AWS documents the limits, and not what is answered beyond all of them. And large answers. */
import { type ApiRequest, answerText, path } from '../deployed-api.ts';
import type { Check, Deployment } from '../deployment.ts';
import { expectSame, faultText, NotHeld } from '../not-held.ts';
import { expectPage } from './lists.ts';
import { createRequest, sampleBody } from './sample-bodies.ts';

const megabyte = 1024 * 1024;

/** Expects a refusal of any kind, of which nothing is stored; tells which. */
async function refusesWhole(deployment: Deployment, request: ApiRequest): Promise<string> {
  const seen = await deployment.api.send(request).then(
    (answer) => {
      if (answer.status < 400) throw new NotHeld(answerText(answer));
      return answerText(answer);
    },
    (error: unknown) => {
      deployment.signal.throwIfAborted();
      // Some servers answer before they have read all of it, and hang up.
      return `the connection ended: ${faultText(error)}`;
    },
  );
  await expectPage(deployment, 'limit=1');
  return seen;
}

/** A create with so many bytes of content. */
const contentOf = (bytes: number) => createRequest(sampleBody({ content: 'x'.repeat(bytes) }));

export const limits: Check[] = [
  {
    // https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
    name: 'a body above the 10 MB of API Gateway is refused',
    play: (deployment) => refusesWhole(deployment, contentOf(10 * megabyte)),
  },
  {
    // https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
    name: 'a body above the 6 MB of a function is refused',
    play: (deployment) => refusesWhole(deployment, contentOf(7 * megabyte)),
  },
  {
    name: 'a request line and headers above 10,240 bytes are refused',
    play: (deployment) => refusesWhole(deployment, { path, query: `tags=${'x'.repeat(10_240)}` }),
  },
  {
    name: 'a large answer leaves compressed where gzip is accepted, and as it is elsewhere',
    async play({ api }) {
      const ask = (encoding: string) => api.list('limit=100', { headers: { 'accept-encoding': encoding } });
      const [packed, plain] = [await ask('gzip'), await ask('identity')];
      expectSame('Content-Encoding', packed.headers.get('content-encoding'), 'gzip');
      expectSame('Content-Encoding', plain.headers.get('content-encoding'), null);
      for (const { headers } of [packed, plain]) {
        if (!/accept-encoding/i.test(headers.get('vary') ?? ''))
          throw new NotHeld(`Vary: ${headers.get('vary') ?? 'none'}`);
      }
      expectSame('what was compressed', packed.text, plain.text);
      return undefined;
    },
  },
  {
    name: 'a search that is as long as it may be is answered',
    async play(deployment) {
      const search = encodeURIComponent('素'.repeat(199));
      await expectPage(deployment, `search=${search}`);
      return undefined;
    },
  },
];
