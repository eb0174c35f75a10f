/** The desk of a deployment over HTTP, for browsers. */
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { BrowserContext, BrowserContextOptions } from 'playwright-core';
import type { Person } from '../../functions/domain/person.ts';
import type { Table } from '../../functions/dynamodb/table.ts';
import { deskAssets } from '../../functions/serve-desk/bundle.ts';
import { invitePerson, openInvitation } from '../../functions/serve-desk/people.ts';
import { embedScript, formCode, mediaFormCode, wallCode } from '../../functions/serve-pages/bundle.ts';
import { createHttpApi } from '../../lib/local-runner/http-api.ts';
import { contextOf } from '../api-client.ts';
import { deskOf, deskRouteKeys } from '../desk-client.ts';
import { actAs } from '../iam/acting.ts';
import { listen } from '../listen.ts';
import { pageRouteKeys, pagesHandlerOf } from '../page-visitor.ts';
import { newPage } from './browser.ts';

export type ServedDesk = Awaited<ReturnType<typeof serveDesk>>;

type Route = (event: unknown) => Promise<unknown>;

interface Serving {
  /** True if a running function remembers sessions, as in a deployment. */
  remembers?: boolean;
  /** Routes of other functions, by their keys. */
  routes?: Iterable<readonly [key: string, Route]>;
  /** Awaited before the function gets a request. */
  before?: (path: string) => Promise<unknown> | undefined;
}

/** Someone to invite, who may do everything. */
export const owner = { organization: 'acme', name: 'Ann', role: 'owner', mayErase: true } as const;

// Bundling takes a second.
const assets = await deskAssets();

/** Other suites show forms and walls. */
const form: Route = async () => ({
  statusCode: 200,
  headers: { 'content-type': 'text/html' },
  body: 'A form',
});

/** Returns the routes of the forms and walls of a table, as a deployment shows them. */
export async function pageRoutes(table: Table) {
  const assets = {
    form: await formCode(),
    mediaForm: await mediaFormCode(),
    wall: await wallCode(),
    embed: String(Buffer.from(await embedScript())),
    share: new Uint8Array(),
  };
  const handler = pagesHandlerOf(table, { assets });
  const serve: Route = async (event) =>
    actAs('ServePages', () => handler(event as APIGatewayProxyEventV2, contextOf())); // the server makes no other
  return pageRouteKeys.map((key) => [key, serve] as const);
}

/** Serves the desk of a table, with forms and walls, until the suite ends. */
export async function serveDesk(table: Table, { remembers = false, routes = [], before }: Serving = {}) {
  const desk = await deskOf(table, { remembers, pages: true, assets });
  const handler = desk.running();
  const serve: Route = async (event) => {
    const request = event as APIGatewayProxyEventV2; // the server makes no other
    await before?.(request.rawPath);
    return actAs('ServeDesk', () => handler(request, contextOf()));
  };
  const ofDesk = deskRouteKeys.map((key) => [key, serve] as const);
  const url = await listen(createHttpApi({ routes: new Map([...ofDesk, ['ANY /f/{id}', form], ...routes]) }));
  /** Signs a browser in as a new owner. */
  async function signIn(context: BrowserContext): Promise<Person> {
    const { person, secret } = await invitePerson(desk.people, owner);
    const opened = await openInvitation(desk.people, secret);
    await context.addCookies([{ name: 'desk', value: opened?.secret ?? '', url }]);
    return person;
  }
  return {
    ...desk,
    url,
    signIn,
    /**
     * Opens a page of the desk as a new owner.
     * @param inPage opens the browser's page
     */
    async open(path: string, options: BrowserContextOptions = {}, inPage = newPage) {
      const opened = await inPage((asked) => asked.startsWith(`${url}/`), options);
      await signIn(opened.page.context());
      await opened.page.goto(`${url}/desk/${path}`);
      return opened;
    },
  };
}
