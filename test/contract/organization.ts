/** The service that rules are played against, and the organizations that it has for them. */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import type { Testimonial } from '../../functions/domain/testimonial.ts';
import type { TestimonialChange } from '../../functions/domain/testimonial-change.ts';
import type { Permission } from '../../functions/domain/token.ts';
import { changeTestimonial } from '../../functions/operations/change-testimonial.ts';
import { eraseTestimonial } from '../../functions/operations/erase-testimonial.ts';
import { issueToken } from '../../functions/operations/issue-token.ts';
import type { Operator } from '../../lib/operator/session.ts';
import type { ApiClient } from '../api-client.ts';
import { storedItems } from '../stored-items.ts';
import { EveryAnswer } from './every-answer.ts';
import { created, listed, same } from './expectations.ts';
import { KnownTestimonials } from './known-testimonials.ts';
import { type Answer, type ApiRequest, createRequest, note, type Send, testimonialBody } from './requests.ts';

/** What differs between the handlers in process and a URL: a client of the API, and what an operator has. */
export interface Driver {
  send: Send;
  operator: Operator;
  /** Waits; where no index function runs, it does meanwhile what that would. */
  sleep: (milliseconds: number) => Promise<unknown>;
  /** How long the tokens are good for; for ever where absent. */
  tokenDays?: number;
  /** Where the handlers run in this process: what is behind them. */
  process?: InProcess;
  /** Whether API Gateway, or what stands for it, is before the handlers. */
  gateway?: true;
  /** Whether the three operations on one testimonial are there, which are optional. */
  moderation?: true | undefined;
  /** A page's that may call the API, where there is one. */
  origin?: string | undefined;
}

export interface InProcess extends Pick<ApiClient, 'table' | 'clock'> {
  /** Does work; returns with its result what was logged meanwhile. */
  logsOf: <Result>(work: () => Promise<Result>) => Promise<{ result: Result; logged: string }>;
}

export class Service {
  readonly driver: Driver;
  readonly everyAnswer = new EveryAnswer();
  /** All that were begun. */
  readonly organizations: Organization[] = [];
  readonly #name: string;

  /** @param name that the names of organizations begin with */
  constructor(driver: Driver, name: string) {
    this.driver = driver;
    this.#name = name;
  }

  /** What a rule has that needs the handlers in this process. */
  get process(): InProcess {
    const { process } = this.driver;
    assert(process, 'the rule needs the handlers in this process');
    return process;
  }

  /** Makes a new organization, which has nothing. */
  async begin(name = `${this.#name}-${this.organizations.length + 1}`): Promise<Organization> {
    const organization = new Organization(this, name);
    this.organizations.push(organization);
    await organization.token('testimonials:read', 'testimonials:write');
    return organization;
  }

  /** Does work at a time, in milliseconds since the epoch, at which the clock of the handlers stands still. */
  async at<Result>(time: number, work: () => Promise<Result>): Promise<Result> {
    const { clock } = this.process;
    clock.stopped = time;
    return work().finally(() => {
      clock.stopped = undefined;
    });
  }

  /** All that the table holds, in process; over HTTP the rest of a rule has to tell that nothing was stored. */
  async items(): Promise<unknown> {
    return this.driver.process && storedItems(this.driver.process.table);
  }
}

export class Organization {
  readonly service: Service;
  readonly name: string;
  /** What it has, by what was answered. */
  readonly known = new KnownTestimonials();
  /** Those that its creates had, without quotes. */
  readonly idempotencyKeys = new Set<string>();
  readonly #tokens = new Map<string, Promise<string>>();
  #neighbour: Promise<Organization> | undefined;

  constructor(service: Service, name: string) {
    this.service = service;
    this.name = name;
  }

  /** Another organization, whose name begins the same, for its rules that need one. */
  neighbour(): Promise<Organization> {
    this.#neighbour ??= this.service.begin(`${this.name}-other`);
    return this.#neighbour;
  }

  /** Its token with these permissions. */
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

  /** Sends a request, with its token that may read and write where the request names no other. */
  async send({ token, headers = {}, ...request }: ApiRequest): Promise<Answer> {
    const { driver, everyAnswer } = this.service;
    const key = headers['idempotency-key'];
    if (key !== undefined) this.idempotencyKeys.add(key.replace(/^"(.*)"$/, '$1'));
    const sent = token ?? (await this.token('testimonials:read', 'testimonials:write'));
    const authorization = sent === '' ? {} : { authorization: `Bearer ${sent}` };
    note({ ...request, headers });
    const answer = await driver.send({ ...request, headers: { ...authorization, ...headers } });
    note({ ...request, headers }, answer);
    everyAnswer.see(request, answer);
    if (answer.status === 201) this.known.created(answer.body);
    return answer;
  }

  /** Sends a create of a body that is made JSON. */
  create(body: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.send(createRequest(body, headers));
  }

  /** Creates a testimonial from a body, a valid one where absent. */
  async created(body: unknown = testimonialBody(), headers?: Record<string, string>): Promise<Testimonial> {
    return created(await this.create(body, headers));
  }

  /** @param query as in `status=approved&page=2` */
  list(query = '', request: ApiRequest = {}): Promise<Answer> {
    return this.send({ query, ...request });
  }

  /** The exact total of a list. */
  async total(query = ''): Promise<number> {
    return listed(await this.list(query)).pagination.total;
  }

  /**
   * Asks for a list, and expects the page that has to come: its pagination, and each testimonial.
   * @throws {AssertionError}
   */
  async samePage(query: string): Promise<Answer> {
    const answer = await this.list(query);
    const [seen, expected] = [listed(answer), this.known.list(query)];
    const prefix = query === '' ? '' : `${query}: `;
    same(`${prefix}pagination`, seen.pagination, expected.pagination);
    same(`${prefix}testimonials`, seen.testimonials.length, expected.testimonials.length);
    for (const [i, testimonial] of expected.testimonials.entries()) {
      same(`${prefix}place ${i + 1}`, seen.testimonials[i], testimonial);
    }
    return answer;
  }

  /** Changes a testimonial, as an operator does. */
  async change(id: string, by: TestimonialChange): Promise<Testimonial> {
    const outcome = await changeTestimonial(this.service.driver.operator, this.name, id, by);
    assert('testimonial' in outcome, `the change of ${id}: ${outcome.kind}`);
    if (outcome.kind === 'done') this.known.changed(outcome.testimonial);
    return outcome.testimonial;
  }

  /** Erases a testimonial, as an operator does. */
  async erase(id: string): Promise<void> {
    await eraseTestimonial(this.service.driver.operator, this.name, id);
    this.known.erase(id);
  }

  /**
   * Waits until something is so.
   * @returns after how long, in words
   * @throws {AssertionError} where it is not so in time
   */
  async within(limitMs: number, seen: () => Promise<boolean>): Promise<string> {
    const { operator, sleep } = this.service.driver;
    const begin = operator.clock();
    const seconds = () => `${((operator.clock() - begin) / 1000).toFixed(1)} s`;
    while (!(await seen())) {
      assert(operator.clock() - begin < limitMs, `not so after ${seconds()}`);
      await sleep(betweenLooksMs);
    }
    return `after ${seconds()}`;
  }
}

const betweenLooksMs = 1000;
