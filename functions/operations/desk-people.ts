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
  await desks.addPerson(person);
  return { person, secret: await inviteAgain(deps, person) };
}

/**
 * Opens an invitation. Its session is there before the invitation goes, so that whoever is stopped in between can open it again,
 * and of two who open it at once only one is let in.
 * @returns the secret of the session; undefined where the invitation was opened before, is over or never was
 */
export async function openInvitation(
  deps: PeopleDependencies,
  secret: string,
): Promise<{ visit: Visit; secret: string } | undefined> {
  if (!isWellFormed(kinds.invitation.prefix, secret)) return undefined;
  const invitation = await visitBy(deps, 'invitation', hashSecret(secret));
  if (!invitation) return undefined;
  const { person } = invitation;
  const opened = await newPass(deps, 'session', person);
  if (!(await deps.desks.takePass(hashSecret(secret)))) {
    await deps.desks.takePass(opened.session.hash);
    return undefined;
  }
  await deps.desks.notePerson(person, { seenAt: opened.session.createdAt });
  return { visit: { person, session: opened.session }, secret: opened.secret };
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
  const visit = await visitBy(deps, 'session', hash);
  if (!visit) return undefined;
  const { person, session } = visit;
  const now = deps.now().getTime();
  const left = Date.parse(session.expiresAt) - now;
  if (left > (sessionDays - 1) * dayMs) return visit;
  const prolonged = { ...session, expiresAt: new Date(now + sessionDays * dayMs).toISOString() };
  await Promise.all([
    deps.desks.prolongPass(prolonged),
    deps.desks.notePerson(person, { seenAt: new Date(now).toISOString() }),
  ]);
  return { person, session: prolonged };
}

/** Ends all sessions of a person, and what invitations are still open. */
export function endSessions({ desks, now }: PeopleDependencies, person: Person): Promise<void> {
  return desks.notePerson(person, { sessionsFrom: now().toISOString() });
}

async function newPass(
  { desks, now, randomInt }: PeopleDependencies,
  kind: Pass['kind'],
  { organization, id: person }: Person,
): Promise<{ secret: string; session: Pass }> {
  const { prefix, days } = kinds[kind];
  const secret = makeSecret(prefix, randomInt);
  const at = now();
  const createdAt = at.toISOString();
  const expiresAt = new Date(at.getTime() + days * dayMs).toISOString();
  const session = { hash: hashSecret(secret), kind, organization, person, createdAt, expiresAt };
  await desks.addPass(session);
  return { secret, session };
}

async function visitBy(
  { desks, now }: PeopleDependencies,
  kind: Pass['kind'],
  hash: string,
): Promise<Visit | undefined> {
  const session = await desks.findPass(hash);
  if (!session || session.kind !== kind || isExpired(session, now().getTime())) return undefined;
  const person = await desks.findPerson(session.organization, session.person);
  const isOver = person?.sessionsFrom !== undefined && session.createdAt <= person.sessionsFrom;
  return person && !isOver ? { person, session } : undefined;
}
