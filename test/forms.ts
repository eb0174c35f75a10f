/** Requests to pages as API Gateway makes them, and the fields and values of the forms in a page. */
import { randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { Testimonial } from '../functions/domain/testimonial.ts';
import { contextOf } from './api-client.ts';
import { type Actor, actAs } from './iam/acting.ts';
import { logsOf } from './watched-logs.ts';

/** A response of a page. */
export interface Page {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** The function's log lines of this request. */
  logged: string;
  /** The cookies that it sets. */
  cookies: string[];
}

/** The host of pages and of the desk. */
export const host = 'api.example.com';

type Handler = (
  event: APIGatewayProxyEventV2,
  context: Context,
) => Promise<APIGatewayProxyStructuredResultV2>;

interface PageRequest {
  routeKey: string;
  method: string;
  path: string;
  cookies?: string[];
  headers: Record<string, string>;
  body?: string | Uint8Array | undefined;
}

/** Calls the handler of a function as API Gateway does. */
export async function visit(actor: Actor, handler: Handler, request: PageRequest): Promise<Page> {
  const { routeKey, method, path, cookies = [], headers, body } = request;
  const [rawPath = '', rawQueryString = ''] = path.split('?');
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  const event = {
    version: '2.0',
    routeKey,
    rawPath,
    rawQueryString,
    cookies,
    headers: { host, ...(body !== undefined && type), ...headers },
    requestContext: {
      requestId: randomUUID(),
      domainName: host,
      http: { method, path: rawPath, sourceIp: '192.0.2.1' },
    },
    ...(body !== undefined && { body: Buffer.from(body).toString('base64') }),
    isBase64Encoded: body !== undefined,
  } as unknown as APIGatewayProxyEventV2; // the handlers read no other part
  const { result, logged } = await logsOf(() => actAs(actor, () => handler(event, contextOf())));
  const { statusCode: status = 0, headers: sent = {}, isBase64Encoded, body: text = '' } = result;
  const bytes = Buffer.from(text, isBase64Encoded ? 'base64' : 'utf8');
  const isPacked = sent['content-encoding'] === 'gzip';
  const all = Object.entries(sent).map(([name, value]) => [name, String(value)]);
  return {
    status,
    headers: Object.fromEntries(all),
    text: String(isPacked ? gunzipSync(bytes) : bytes),
    logged,
    cookies: result.cookies ?? [],
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

/** Returns the fields by which a list of the desk names all of its matches. */
export function allMatchesIn(page: string): { all: string; of: string; edition: string } {
  const value = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? '';
  return { all: value('all'), of: value('of'), edition: value('edition') };
}

/** Returns the link to sign in, or of a feed, that a page of the desk shows to copy. */
export const linkIn = (page: string) => plain(/<code>(https:[^<]*)<\/code>/.exec(page)?.[1] ?? '');

/** Returns the value by which forms of the desk name a testimonial as it was shown. */
export const seen = ({ id, updatedAt }: Pick<Testimonial, 'id' | 'updatedAt'>) => `${id}@${updatedAt}`;

/** Returns the text of markup. */
export const plain = (markup: string) =>
  markup.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
