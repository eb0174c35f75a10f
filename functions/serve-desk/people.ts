/** Who may moderate at the desk: invitations, which open once, and the sessions that they become. */
import * as v from 'valibot';
import { type Pass, type Person, personName, type Visit } from '../domain/person.ts';
import type { DeskStore } from '../domain/stores.ts';
import {
  hashSecret,
  isExpired,
  isWellFormed,
  makeSecret,
  type RandomInt,
  randomDigits,
  type SecretPrefix,
} from '../domain/token.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** How long an invitation can be opened, and how long after its last use a session ends, in days. */
export const invitationDays = 3;
export const sessionDays = 30;

const kinds = {
  invitation: { prefix: 'tsi', days: invitationDays },
  session: { prefix: 'tss', days: sessionDays },
} as const satisfies Record<Pass['kind'], { prefix: SecretPrefix; days: number }>;

export interface PeopleDependencies {
  desks: DeskStore;
  now: () => Date;
  randomInt: RandomInt;
}

/** The secret of a new invitation of a person who is known: what else lets another of their browsers in. */
export async function inviteAgain(deps: PeopleDependencies, person: Person): Promise<string> {
  return (await newPass(deps, 'invitation', person)).secret;
}

/**
 * Invites a person.
 * @returns the person, and the secret of the invitation, which is shown now and never again
 * @throws {ValiError} naming the rule that the name breaks; nothing is stored then
 */
export async function invitePerson(
  deps: PeopleDependencies,
  { organization, name, mayErase }: Pick<Person, 'organization' | 'name' | 'mayErase'>,
): Promise<{ person: Person; secret: string }> {
  const { desks, now, randomInt } = deps;
  const id = randomDigits(10, randomInt);
  const invitedAt = now().toISOString();
  const person = { organization, id, name: v.parse(personName, name), mayErase, invitedAt };
  // The pass first: a stop in between leaves nobody whom no link lets in.
  const secret = await inviteAgain(deps, person);
  await desks.addPerson(person);
  return { person, secret };
}

/** The secret of an invitation in a text: in the link, also where the `#` or the `_` was encoded on its way. */
export function invitationIn(text: string): string | undefined {
  const [found = ''] = /tsi_[0-9A-Za-z]{36}/.exec(text.replaceAll(/%(?:25)*5f/gi, '_')) ?? [];
  return isWellFormed(kinds.invitation.prefix, found) ? found : undefined;
}

/**
 * Opens an invitation. All else is stored before the invitation says as which session, so that whoever is stopped in between can
 * open it again, and of two who open it at once only one is let in.
 * @param secret as `invitationIn` finds it
 * @returns the secret of the session, and its person; undefined where the invitation was opened before, is over or never was
 */
export async function openInvitation(
  deps: PeopleDependencies,
  secret: string,
): Promise<{ secret: string; person: Person } | undefined> {
  const known = await knownPass(deps, 'invitation', hashSecret(secret));
  if (!known || known.pass.openedAs !== undefined) return undefined;
  const { person, pass: invitation } = known;
  const session = await newPass(deps, 'session', person);
  await deps.desks.notePerson(person, { seenAt: session.pass.createdAt });
  const isOurs = await deps.desks.replacePass({ ...invitation, openedAs: session.pass.hash });
  if (isOurs) return { secret: session.secret, person };
  await deps.desks.removePass(session.pass.hash);
  return undefined;
}

/** Whether a text can be the secret of a session; says nothing about its being known. */
export function isSessionSecret(text: string): boolean {
  return isWellFormed(kinds.session.prefix, text);
}

/**
 * Finds whose session a request comes from, and prolongs it once a day.
 * @param hash of the session's secret
 * @returns undefined where there is no such session, or the person is no longer there
 */
export async function findVisit(deps: PeopleDependencies, hash: string): Promise<Visit | undefined> {
  const known = await knownPass(deps, 'session', hash);
  if (!known) return undefined;
  const { person, pass: session } = known;
  const now = deps.now().getTime();
  const left = Date.parse(session.expiresAt) - now;
  if (left > (sessionDays - 1) * dayMs) return { person, session };
  const prolonged = { ...session, expiresAt: new Date(now + sessionDays * dayMs).toISOString() };
  const [isThere] = await Promise.all([
    deps.desks.replacePass(prolonged),
    deps.desks.notePerson(person, { seenAt: new Date(now).toISOString() }),
  ]);
  return isThere ? { person, session: prolonged, isProlonged: true } : undefined;
}

/** Ends all sessions of a person, and what invitations are still open. */
export function endSessions({ desks, randomInt }: PeopleDependencies, person: Person): Promise<void> {
  return desks.notePerson(person, { series: randomDigits(10, randomInt) });
}

async function newPass(
  { desks, now, randomInt }: PeopleDependencies,
  kind: Pass['kind'],
  { organization, id: person, series }: Person,
): Promise<{ secret: string; pass: Pass }> {
  const { prefix, days } = kinds[kind];
  const secret = makeSecret(prefix, randomInt);
  const at = now();
  const createdAt = at.toISOString();
  const expiresAt = new Date(at.getTime() + days * dayMs).toISOString();
  const about = { kind, organization, person, ...(series !== undefined && { series }) };
  const pass = { hash: hashSecret(secret), ...about, createdAt, expiresAt };
  await desks.addPass(pass);
  return { secret, pass };
}

/** A pass that is not over, and its person, who is still there. */
async function knownPass(
  { desks, now }: PeopleDependencies,
  kind: Pass['kind'],
  hash: string,
): Promise<{ person: Person; pass: Pass } | undefined> {
  const pass = await desks.findPass(hash);
  if (!pass || pass.kind !== kind || isExpired(pass, now().getTime())) return undefined;
  const person = await desks.findPerson(pass.organization, pass.person);
  return person && pass.series === person.series ? { person, pass } : undefined;
}
