/** The desk of an operator on a test's table. */
import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Table } from '../functions/dynamodb/table.ts';
import { deskAssets } from '../functions/serve-desk/bundle.ts';
import { deskApp, type LocalDesk } from '../functions/serve-desk/on-this-machine/local-desk.ts';
import { assetsOf } from '../functions/serve-desk/parts/assets.ts';
import { openDesk } from '../lib/operator/desk.ts';
import { operatorOf } from '../lib/operator/session.ts';
import { actAs } from './iam/acting.ts';

/** Opens a desk whose waits end at once. */
export function openTestDesk(table: Table, organization = 'acme'): LocalDesk {
  const explain = (error: unknown) => (error instanceof Error ? error.message : String(error));
  let aheadMs = 0;
  const now = () => new Date(table.now().getTime() + aheadMs);
  const sleep = async (milliseconds: number) => {
    aheadMs += milliseconds;
  };
  return openDesk(
    operatorOf({ ...table, now }, () => 0),
    { organization, sleep, explain, api: 'https://api.example.com' },
  );
}

const host = '127.0.0.1:4200';
const headers = { host, cookie: 'desk-4200=pass', 'sec-fetch-site': 'same-origin' };

/** Sends requests to a desk, with the rights of an operator who writes. */
export async function deskByRequests(table: Table, organization?: string) {
  const assets = assetsOf(await deskAssets());
  const newDesk = () =>
    deskApp(openTestDesk(table, organization), { port: 4200, key: 'key', cookieSecret: 'pass' }, assets);
  const files = newDesk();

  /** Sends a request to a new desk; only dropped files need the same one. */
  function ask(path: string, init: RequestInit = {}): Promise<Response> {
    const app = path.startsWith('/desk/files') ? files : newDesk();
    return actAs('Operator/Write', async () => app.request(`http://${host}${path}`, { headers, ...init }));
  }

  const shown = async (answer: Response) => ({ status: answer.status, text: await answer.text() });
  const get = async (path: string, cookie = '') =>
    shown(await ask(path, { headers: { ...headers, cookie: `${headers.cookie}; ${cookie}` } }));

  /** Sends a form and follows the redirect. */
  async function send(path: string, fields: Fields | FormData) {
    const body = fields instanceof FormData ? fields : encoded(fields);
    const answer = await ask(path, { method: 'POST', body });
    if (answer.status !== 303) return shown(answer);
    return get(String(answer.headers.get('location')), answer.headers.get('set-cookie')?.split(';')[0]);
  }

  return {
    ask,
    get,
    send,
    /** Drops a file on the page; returns its page and the path. */
    async drop(bytes: string | Uint8Array, name: string) {
      const form = new FormData();
      form.append('do', 'take');
      form.append('file', new File([Buffer.from(bytes)], name));
      const { text } = await send('/desk/files', form);
      return { text, path: `/desk/files?of=${createHash('sha256').update(bytes).digest('hex')}` };
    },
    /** Returns the page of a file once its work has ended. */
    async ended(path: string): Promise<string> {
      let { text } = await get(path);
      while (text.includes('hx-trigger="every')) {
        // Polling without a pause would slow down the work.
        await wait(30);
        ({ text } = await get(path));
      }
      return text;
    },
  };
}

/** The fields of a form, some with several values. */
export type Fields = Record<string, string | string[]>;

export function encoded(fields: Fields): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, values] of Object.entries(fields)) {
    for (const value of [values].flat()) form.append(name, value);
  }
  return form;
}

/** Returns the fields that a button of a page sends, by its label. */
export function fieldsOf(page: string, label: string): Record<string, string> {
  const forms = page.match(/<form method="post"[\s\S]*?<\/form>/g) ?? [];
  const form =
    forms.find((each) => ['</button>', ' <kbd'].some((end) => each.includes(`>${label}${end}`))) ?? '';
  const fields = form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g);
  return Object.fromEntries(Array.from(fields, ([, name = '', value = '']) => [name, plain(value)]));
}

/** Returns the text of markup. */
export const plain = (markup: string) =>
  markup.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
