/** The desk of a deployment for a person who sends hostile forms. */
import { createApiClient, testimonialBody } from '../api-client.ts';
import { deskOf } from '../desk-client.ts';
import { addPage } from '../page-visitor.ts';
import { onTableCall } from '../table-calls.ts';
import type { DeskForm } from './desk-forms.ts';

// A page of 100 testimonials that are all changed.
const mostCalls = 500;

// API Gateway takes 10,240 bytes of request line and headers.
const longestUrl = 9000;

export async function hostileDesk() {
  const api = await createApiClient();
  const desk = await deskOf(api.table, { pages: true });
  const page = await addPage(api.table, { kind: 'form' });
  const { body: testimonial } = await api.create(testimonialBody());
  const other = await desk.signedIn({ name: 'Other' });
  let browser = await desk.signedIn({ role: 'owner' });
  return {
    page: page.id,
    testimonial,
    person: other.person.id,
    async send({ method, path, fields, headers }: DeskForm): Promise<string[]> {
      let calls = 0;
      onTableCall(api.table, () => {
        calls += 1;
      });
      const text = String(
        new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value.toWellFormed()])),
      );
      const { status, headers: sent } =
        method === 'GET'
          ? await browser.get(`${path}?${text.slice(0, longestUrl)}`, headers)
          : await browser.ask('POST', path, {
              raw: text,
              headers: { 'sec-fetch-site': 'same-origin', ...headers },
            });
      onTableCall(api.table, () => {});
      // A form can sign the person out.
      if (status === 401 || path === '/desk/me') browser = await desk.signedIn({ role: 'owner' });
      return [
        ...(status >= 500 ? [`the status is ${status}`] : []),
        ...(calls > mostCalls ? [`${calls} calls`] : []),
        ...(/[\r\n]|null\//.test(String(sent.location ?? '')) ? [`it leads to ${sent.location}`] : []),
      ];
    },
  };
}
