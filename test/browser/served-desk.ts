/** The desk of a deployment over HTTP, for browsers. */
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { BrowserContext } from 'playwright-core';
import type { Person } from '../../functions/domain/person.ts';
import type { Table } from '../../functions/dynamodb/table.ts';
import type { Bucket } from '../../functions/media/bucket.ts';
import { deskAssets } from '../../functions/serve-desk/bundle.ts';
import { invitePerson, openInvitation } from '../../functions/serve-desk/people.ts';
import { createHttpApi } from '../../lib/local-runner/http-api.ts';
import { contextOf } from '../api-client.ts';
import { deskOf, deskRouteKeys } from '../desk-client.ts';
import { actAs } from '../iam/acting.ts';
import { listen } from '../listen.ts';

export type ServedDesk = Awaited<ReturnType<typeof serveDesk>>;

type Route = (event: unknown) => Promise<unknown>;

interface Serving {
  /** True if a running function remembers sessions, as in a deployment. */
  remembers?: boolean;
  /** Routes of other functions, by their keys. */
  routes?: Iterable<readonly [key: string, Route]>;
  /** The bucket of a deployment with media. */
  bucket?: Bucket;
  /** Awaited before the function gets a request. */
  before?: (path: string) => Promise<unknown> | undefined;
}

/** Other suites show forms and walls. */
const form: Route = async () => ({
  statusCode: 200,
  headers: { 'content-type': 'text/html' },
  body: 'A form',
});

/** Serves the desk of a table, with forms and walls, until the suite ends. */
export async function serveDesk(
  table: Table,
  { remembers = false, routes = [], bucket, before }: Serving = {},
) {
  const assets = await deskAssets();
  const desk = await deskOf(table, { remembers, pages: true, assets, ...(bucket && { bucket }) });
  const handler = desk.running();
  const serve: Route = async (event) => {
    const request = event as APIGatewayProxyEventV2; // the server makes no other
    await before?.(request.rawPath);
    return actAs('ServeDesk', () => handler(request, contextOf()));
  };
  const ofDesk = deskRouteKeys.map((key) => [key, serve] as const);
  const url = await listen(createHttpApi({ routes: new Map([...ofDesk, ['ANY /f/{id}', form], ...routes]) }));
  return {
    ...desk,
    url,
    /** Invites an owner, and signs a browser in as them. */
    async signIn(context: BrowserContext): Promise<Person> {
      const fields = { organization: 'acme', name: 'Ann', role: 'owner', mayErase: true } as const;
      const { person, secret } = await invitePerson(desk.people, fields);
      const opened = await openInvitation(desk.people, secret);
      await context.addCookies([{ name: 'desk', value: opened?.secret ?? '', url }]);
      return person;
    },
  };
}
