/** The service under test, and the organizations that rules run in. */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { issueToken } from '../../../functions/accounts/issue-token.ts';
import type { Page, PageKind } from '../../../functions/domain/page.ts';
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import type { TestimonialChange } from '../../../functions/domain/testimonial-change.ts';
import type { Permission } from '../../../functions/domain/token.ts';
import { createPage } from '../../../functions/serve-pages/own-pages.ts';
import type { Maintenance } from '../../../functions/testimonials/maintenance.ts';
import type { TableStores } from '../../operator/table-stores.ts';
import { EveryResponse } from './every-response.ts';
import { created, expectEqual, listed } from './expectations.ts';
import { KnownTestimonials } from './known-testimonials.ts';
import {
  type ApiRequest,
  createRequest,
  recordExchange,
  type Send,
  type ServiceResponse,
  testimonialBody,
} from './requests.ts';

/** The handlers in this process, or a service behind a URL: a client of the API, and an operator's tools. */
export interface Driver {
  send: Send;
  operator: TableStores;
  /** Waits. If no index function runs, updates the list indexes in the meantime. */
  sleep: (milliseconds: number) => Promise<unknown>;
  /** The validity of tokens; unlimited if absent. */
  tokenDays?: number;
  /** The handlers in this process. */
  process?: InProcess;
  /** True behind API Gateway or its emulation. */
  gateway?: true;
  /** True if the optional operations on one testimonial are deployed. */
  moderation?: true | undefined;
  /** True if forms and walls are deployed. */
  pages?: true | undefined;
  /** True if the desk is deployed. */
  desk?: true | undefined;
  /** True if photos and recordings are deployed. Their bucket is only reachable over HTTP. */
  media?: true | undefined;
  /** The origin of a page that may call the API. */
  origin?: string | undefined;
}

/** The parts that only a driver of handlers in this process can see and change. */
export interface InProcess {
  /** The handlers' clock: milliseconds ahead of the real clock, or the time at which it is stopped. */
  clock: { offset: number; stopped?: number | undefined };
  /** Returns all items of the table. */
  items: () => Promise<unknown>;
  /** From now on, calls `onCall` with the name of each command to the table. */
  onTableCall: (onCall: (commandName: string) => void) => void;
  /** Runs work, and returns its result and the log lines written in the meantime. */
  logsOf: <Result>(work: () => Promise<Result>) => Promise<{ result: Result; logged: string }>;
}

export class Service {
  readonly driver: Driver;
  readonly everyResponse = new EveryResponse();
  readonly organizations: Organization[] = [];
  readonly #name: string;

  /** @param name the prefix of organizations' names */
  constructor(driver: Driver, name: string) {
    this.driver = driver;
    this.#name = name;
  }

  /** The handlers in this process. */
  get process(): InProcess {
    const { process } = this.driver;
    assert(process, 'the rule needs the handlers in this process');
    return process;
  }

  /** Makes an empty organization. */
  async begin(name = `${this.#name}-${this.organizations.length + 1}`): Promise<Organization> {
    const organization = new Organization(this, name);
    this.organizations.push(organization);
    await organization.token('testimonials:read', 'testimonials:write');
    return organization;
  }

  /** Runs work while the handlers' clock is stopped at a time, in milliseconds since 1970. */
  async at<Result>(time: number, work: () => Promise<Result>): Promise<Result> {
    const { clock } = this.process;
    clock.stopped = time;
    return work().finally(() => {
      clock.stopped = undefined;
    });
  }

  /**
   * In process, returns all items of the table. Over HTTP, other expectations show that nothing was stored.
   */
  async items(): Promise<unknown> {
    return this.driver.process?.items();
  }
}

export class Organization {
  readonly service: Service;
  readonly name: string;
  /** Its testimonials, according to responses. */
  readonly known = new KnownTestimonials();
  /** The keys of its creates, without quotes. */
  readonly idempotencyKeys = new Set<string>();
  readonly #tokens = new Map<string, Promise<string>>();
  #neighbour: Promise<Organization> | undefined;

  constructor(service: Service, name: string) {
    this.service = service;
    this.name = name;
  }

  /** The operator's maintenance of its list index. */
  get maintenance(): Maintenance {
    return this.service.driver.operator.maintenanceOf(this.name);
  }

  /** Returns another organization, whose name begins with this one's. */
  neighbour(): Promise<Organization> {
    this.#neighbour ??= this.service.begin(`${this.name}-other`);
    return this.#neighbour;
  }

  /** Returns the organization's token with these permissions. */
  token(...permissions: Permission[]): Promise<string> {
    const key = permissions.join();
    const token = this.#tokens.get(key) ?? this.#issue(permissions);
    this.#tokens.set(key, token);
    return token;
  }

  #issue(permissions: Permission[]): Promise<string> {
    const { operator, tokenDays } = this.service.driver;
    const expiry = tokenDays === undefined ? {} : { expiresInDays: tokenDays };
    const request = { organization: this.name, permissions, name: 'npm run check', ...expiry };
    return issueToken({ ...operator, randomInt }, request);
  }

  /** Sends a request, by default with the organization's token that may read and write. */
  async send({ token, headers = {}, ...request }: ApiRequest): Promise<ServiceResponse> {
    const { driver, everyResponse } = this.service;
    const key = headers['idempotency-key'];
    if (key !== undefined) this.idempotencyKeys.add(key.replace(/^"(.*)"$/, '$1'));
    const sent = token ?? (await this.token('testimonials:read', 'testimonials:write'));
    const authorization = sent === '' ? {} : { authorization: `Bearer ${sent}` };
    recordExchange({ ...request, headers });
    const response = await driver.send({ ...request, headers: { ...authorization, ...headers } });
    recordExchange({ ...request, headers }, response);
    everyResponse.see(request, response);
    if (response.status === 201) this.known.created(response.body);
    return response;
  }

  /**
   * Sends the request of a visitor of pages, who has no token. Pages have their own rules for headers and
   * bodies.
   */
  async visit(request: ApiRequest): Promise<ServiceResponse> {
    recordExchange(request);
    const response = await this.service.driver.send(request);
    recordExchange(request, response);
    return response;
  }

  /** Creates a page, like an operator. */
  page(kind: PageKind, settings: Page['settings'] = {}, title = `A ${kind}`): Promise<Page> {
    const fields = { organization: this.name, kind, title, settings };
    return createPage({ ...this.service.driver.operator, randomInt }, fields);
  }

  create(body: unknown, headers?: Record<string, string>): Promise<ServiceResponse> {
    return this.send(createRequest(body, headers));
  }

  /** Creates a testimonial, by default from a valid body. */
  async created(body: unknown = testimonialBody(), headers?: Record<string, string>): Promise<Testimonial> {
    return created(await this.create(body, headers));
  }

  /** @param query such as `status=approved&page=2` */
  list(query = '', request: ApiRequest = {}): Promise<ServiceResponse> {
    return this.send({ query, ...request });
  }

  async total(query = ''): Promise<number> {
    return listed(await this.list(query)).pagination.total;
  }

  /** Lists, and expects the right page: its pagination, and each testimonial. */
  async expectPage(query: string): Promise<ServiceResponse> {
    const response = await this.list(query);
    const [seen, expected] = [listed(response), this.known.list(query)];
    const prefix = query === '' ? '' : `${query}: `;
    expectEqual(`${prefix}pagination`, seen.pagination, expected.pagination);
    expectEqual(`${prefix}testimonials`, seen.testimonials.length, expected.testimonials.length);
    for (const [i, testimonial] of expected.testimonials.entries()) {
      expectEqual(`${prefix}testimonial ${i + 1}`, seen.testimonials[i], testimonial);
    }
    return response;
  }

  /** Changes a testimonial, like an operator. */
  async change(id: string, by: TestimonialChange): Promise<Testimonial> {
    const outcome = await this.service.driver.operator.changesOf(this.name).change(id, by);
    assert('testimonial' in outcome, `the change of ${id}: ${outcome.kind}`);
    if (outcome.kind === 'done') this.known.changed(outcome.testimonial);
    return outcome.testimonial;
  }

  /** Erases a testimonial, like an operator. */
  async erase(id: string): Promise<void> {
    await this.service.driver.operator.changesOf(this.name).erase(id);
    this.known.erase(id);
  }

  /**
   * Waits until a condition is true.
   * @returns the time it took, as text
   * @throws {AssertionError} if it is not true in time
   */
  async within(limitMs: number, seen: () => Promise<boolean>): Promise<string> {
    const { operator, sleep } = this.service.driver;
    const begin = operator.clock();
    const seconds = () => `${((operator.clock() - begin) / 1000).toFixed(1)} s`;
    while (!(await seen())) {
      assert(operator.clock() - begin < limitMs, `not true after ${seconds()}`);
      await sleep(betweenLooksMs);
    }
    return `after ${seconds()}`;
  }
}

const betweenLooksMs = 1000;
