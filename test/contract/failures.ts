/** What a caller sees of a failure inside: nothing but that there is one. */
import assert from 'node:assert/strict';
import { onTableCall } from '../table-calls.ts';
import { refused, same } from './expectations.ts';
import { createRequest, testimonialBody } from './requests.ts';
import { each, type Suite } from './suite.ts';

export const failures: Suite = {
  name: 'Failures',
  rules: [
    each(
      'a 500 says nothing about the inside, and the log has its reason under the same request id:',
      [
        ['list', {}],
        ['create', createRequest(testimonialBody())],
      ],
      async (api, _, request) => {
        const { table, logsOf } = api.service.process;
        const token = await api.token('testimonials:read', 'testimonials:write');
        onTableCall(table, (name) => {
          // The token is still found: the failure comes in the operation itself.
          if (name !== 'GetItemCommand') throw new Error('inside: the table is on fire');
        });
        const { result: answer, logged } = await logsOf(() => api.send(request)).finally(() =>
          onTableCall(table, () => {}),
        );
        refused(answer, { status: 500, code: 'internal_error' });
        const said = JSON.stringify(answer);
        assert(!/inside|fire|Error:|at .*\.ts/.test(said), said);
        const lines = logged.split('\n').filter((line) => line.includes('the table is on fire'));
        same('lines with the reason', lines.length, 1);
        const id = `"requestId":"${answer.headers['x-request-id']}"`;
        assert(lines[0]?.includes(id), 'the log has another request id');
        assert(!logged.includes(token), 'the log has the token');
      },
      'process',
    ),
  ],
};
