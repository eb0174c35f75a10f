/**
 * The people who may moderate at the desk: invitations, each valid for one sign-in, sessions, and feeds of
 * pending testimonials. Passkeys are in passkeys.ts.
 */
import * as v from 'valibot';
import type { DeskStore } from '../accounts/desk-store.ts';
import { type RandomInt, randomDigits } from '../domain/base62.ts';
import { type Pass, type Person, personName, type Visit } from '../domain/person.ts';
import { hashSecret, isExpired, isWellFormed, makeSecret, type SecretPrefix } from '../domain/token.ts';
import { deskPath } from './parts/paths.ts';

const dayMs = 24 * 60 * 60 * 1000;

export const invitationDays = 3;
/** The number of days from the last use of a session until it expires. */
export const sessionDays = 30;
/** The number of days from the last read of a feed until it expires. */
export const feedDays = 365;

const kinds = {
  invitation: { prefix: 'tsi', days: invitationDays },
  session: { prefix: 'tss', days: sessionDays },
  feed: { prefix: 'tsf', days: feedDays },
} as const satisfies Record<Pass['kind'], { prefix: SecretPrefix; days: number }>;

export interface PeopleDependencies {
  desks: DeskStore;
  now: () => Date;
  randomInt: RandomInt;
}

/** The path that opens an invitation. */
export const openPath = `${deskPath}/open`;

/**
 * Returns the link of an invitation. The secret is in the fragment, which browsers do not send, so no log
 * contains it.
 */
export function invitationLink(serviceUrl: string, secret: string): string {
  return `${serviceUrl}${openPath}#${secret}`;
}

/**
 * Makes another invitation for a person, for example for a second browser. Returns its secret.
 * @param by the visit of the person who makes it; absent for an operator
 */
export async function inviteAgain(deps: PeopleDependencies, person: Person, by?: Visit): Promise<string> {
  return (await newPass(deps, 'invitation', person, by && originOfVisit(by))).secret;
}

/**
 * Makes a link for another person, and first signs that person out everywhere, so that they notice it and no
 * one else can act in their name.
 * @returns the secret of the invitation
 */
export async function signOutAndInvite(deps: PeopleDependencies, person: Person, by: Visit): Promise<string> {
  const series = await endSessions(deps, person, { name: by.person.name, hasLink: true });
  return inviteAgain(deps, { ...person, series }, by);
}

/**
 * Invites a person.
 * @param by the visit of the owner who invites them; absent for an operator
 * @returns the person, and the secret of the invitation, which is not stored
 * @throws {ValiError} for an invalid name; nothing is stored then
 */
export async function invitePerson(
  deps: PeopleDependencies,
  { organization, name, role, mayErase }: Pick<Person, 'organization' | 'name' | 'role' | 'mayErase'>,
  by?: Visit,
): Promise<{ person: Person; secret: string }> {
  const { desks, now, randomInt } = deps;
  const id = randomDigits(10, randomInt);
  const invitedAt = now().toISOString();
  const person = { organization, id, name: v.parse(personName, name), role, mayErase, invitedAt };
  // Store the invitation first, so that a crash leaves no person without one.
  const secret = await inviteAgain(deps, person, by);
  await desks.addPerson(person);
  return { person, secret };
}

/**
 * Returns the secret of an invitation in a text, even if the `#` or `_` of the link was percent-encoded on
 * its way.
 */
export function invitationIn(text: string): string | undefined {
  const [secret = ''] = /tsi_[0-9A-Za-z]{36}/.exec(text.replaceAll(/%(?:25)*5f/gi, '_')) ?? [];
  return isWellFormed(kinds.invitation.prefix, secret) ? secret : undefined;
}

/**
 * Opens an invitation. The last write marks it as used, on condition that it is unused. After a crash, it can
 * be opened again, and of two simultaneous attempts only one succeeds.
 * @param secret from `invitationIn`
 * @param device the browser and the device of the session
 * @returns the secret of a new session, and its person; undefined if the invitation was used, has expired or
 * does not exist
 */
export async function openInvitation(
  deps: PeopleDependencies,
  secret: string,
  device?: string,
): Promise<{ secret: string; person: Person } | undefined> {
  const valid = await findPass(deps, ['invitation'], hashSecret(secret));
  if (!valid || valid.pass.openedAs !== undefined) return undefined;
  const { person, pass: invitation } = valid;
  const { madeBy, makers } = invitation;
  const session = await openSession(deps, person, { madeBy, makers, device });
  const isFirst = await deps.desks.changePass(invitation, { openedAs: session.pass.hash });
  if (isFirst) return { secret: session.secret, person };
  await deps.desks.removePass(session.pass);
  return undefined;
}

/** Returns the person and the maker of an invitation that can be opened, without opening it. */
export async function findInvitation(
  deps: PeopleDependencies,
  secret: string,
): Promise<{ person: Person; madeBy?: string | undefined } | undefined> {
  const valid = await findPass(deps, ['invitation'], hashSecret(secret));
  if (!valid || valid.pass.openedAs !== undefined) return undefined;
  return { person: valid.person, madeBy: valid.pass.madeBy };
}

/** Opens a session for a person. Returns its secret, and the session. */
export async function openSession(
  deps: PeopleDependencies,
  person: Person,
  origin: Origin,
): Promise<{ secret: string; pass: Pass }> {
  const session = await newPass(deps, 'session', person, origin);
  await deps.desks.updatePerson(person, { seenAt: session.pass.createdAt });
  return session;
}

/** True for a text in the format of a session's secret, whether or not the session exists. */
export function isSessionSecret(text: string): boolean {
  return isWellFormed(kinds.session.prefix, text);
}

/** True for a text in the format of a feed's secret, whether or not the feed exists. */
export function isFeedSecret(text: string): boolean {
  return isWellFormed(kinds.feed.prefix, text);
}

/**
 * Makes a person's feed, and ends their earlier feed. If two are made at once, both stay, because the person
 * may keep either.
 * @returns the secret of its URL, which is not stored
 */
export async function makeFeed(deps: PeopleDependencies, by: Visit): Promise<string> {
  const { desks } = deps;
  const { organization, id } = by.person;
  const earlier = (await desks.listPasses(organization, id)).filter(({ kind }) => kind === 'feed');
  const { secret } = await newPass(deps, 'feed', by.person, originOfVisit(by));
  for (const each of earlier) await desks.removePass(each);
  return secret;
}

/**
 * Finds a session or a feed, and its person. Extends it once an hour.
 * @param hash the SHA-256 of the secret, which no secret of another kind can have
 * @returns undefined if the session has ended or the person was removed
 */
export async function findVisit(deps: PeopleDependencies, hash: string): Promise<Visit | undefined> {
  const valid = await findPass(deps, ['session', 'feed'], hash);
  if (!valid) return undefined;
  const { person, pass: session } = valid;
  const now = deps.now().getTime();
  const { days } = kinds[session.kind];
  const remainingMs = Date.parse(session.expiresAt) - now;
  if (remainingMs > (days - 1 / 24) * dayMs) return { person, session };
  const expiresAt = new Date(now + days * dayMs).toISOString();
  const [exists] = await Promise.all([
    deps.desks.changePass(session, { expiresAt }),
    // A tool reads a feed, so that is no visit of the person.
    session.kind === 'session' && deps.desks.updatePerson(person, { seenAt: new Date(now).toISOString() }),
  ]);
  return exists ? { person, session: { ...session, expiresAt }, isProlonged: true } : undefined;
}

/**
 * Returns the person of a session that ended because all sessions of that person were ended; undefined for
 * any other session.
 */
export async function signedOutPerson(
  { desks }: PeopleDependencies,
  hash: string,
): Promise<Person | undefined> {
  const pass = await desks.findPass(hash);
  const person = pass && (await desks.findPerson(pass.organization, pass.person));
  return pass?.series === person?.series ? undefined : person;
}

/**
 * Returns the sessions, feeds and unused invitations that are valid now, of one person or of all people,
 * newest first.
 * @param people the people of the organization
 */
export async function validPasses(
  { desks, now }: Pick<PeopleDependencies, 'desks' | 'now'>,
  organization: string,
  people: readonly Person[],
  person?: string,
): Promise<Pass[]> {
  const time = now().getTime();
  return (await desks.listPasses(organization, person))
    .filter((pass) => !isExpired(pass, time) && pass.openedAs === undefined && isOwnedBy(people, pass))
    .sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
}

/** The conditions for a valid pass or passkey, besides its expiry. */
type PassOwnership = Pick<Pass, 'organization' | 'person' | 'series' | 'makers'>;

/** True if the person and all makers are among these people, and the person's series is the same. */
export function isOwnedBy(
  people: readonly Person[],
  { person, series, makers = [] }: PassOwnership,
): boolean {
  const owner = people.find(({ id }) => id === person);
  return (
    owner !== undefined &&
    owner.series === series &&
    makers.every((maker) => people.some(({ id }) => id === maker))
  );
}

/**
 * Returns the person of a pass or a passkey. Returns undefined if it ended with its series, its person or one
 * of its makers.
 */
export async function findOwner(
  { desks }: Pick<PeopleDependencies, 'desks'>,
  owned: PassOwnership,
): Promise<Person | undefined> {
  const ids = [...new Set([owned.person, ...(owned.makers ?? [])])];
  const people = await desks.findPeople(owned.organization, ids);
  return isOwnedBy(people, owned) ? people.find(({ id }) => id === owned.person) : undefined;
}

/**
 * Returns the time of the last use of a session or a feed, to the hour, or the time at which it was made if
 * it was not used since.
 */
export function lastUseOf({ kind, expiresAt }: Pass): Date {
  return new Date(Date.parse(expiresAt) - kinds[kind].days * dayMs);
}

/**
 * Ends all sessions, passkeys, feeds and unused invitations of a person.
 * @param by the owner who does this for another person
 * @returns the series of the person's next passes
 */
export async function endSessions(
  { desks, now, randomInt }: PeopleDependencies,
  person: Person,
  by: Person['endedBy'] = null,
): Promise<string> {
  const series = randomDigits(10, randomInt);
  await desks.updatePerson(person, { series, endedAt: now().toISOString(), endedBy: by });
  // They have ended with the old series. This only removes their items.
  await desks.removePasskeys(person.organization, person.id);
  return series;
}

/**
 * Removes a person and their passkeys. Every pass and passkey in the chains of invitations that the person
 * began ends, except the session of the owner who removes the person.
 * @param by the visit of the owner who removes the person; absent for an operator
 * @returns false, and removes no one, if the person is an owner and no other owner has ever signed in
 */
export async function removePerson(
  { desks }: PeopleDependencies,
  person: Person,
  by?: Visit,
): Promise<boolean> {
  const { organization, id } = person;
  if (await isLastOwner({ desks }, person)) return false;
  const makers = by?.session.makers ?? [];
  if (by && makers.includes(id)) {
    await desks.changePass(by.session, { makers: makers.filter((each) => each !== id) });
  }
  await desks.removePerson(organization, id);
  // Owners may have removed each other at the same moment.
  if (await isLastOwner({ desks }, person)) {
    await desks.addPerson(person);
    return false;
  }
  await desks.removePasskeys(organization, id);
  return true;
}

/** True for an owner if no other owner has ever signed in. */
export async function isLastOwner(
  { desks }: Pick<PeopleDependencies, 'desks'>,
  { organization, id, role }: Person,
): Promise<boolean> {
  if (role !== 'owner') return false;
  const people = await desks.listPeople(organization);
  return people.every((each) => each.id === id || each.role !== 'owner' || each.seenAt === undefined);
}

/** The makers of a pass, and its passkey and device. */
type Origin = { [name in 'madeBy' | 'makers' | 'passkey' | 'device']?: Pass[name] | undefined };

/**
 * Returns the origin of a pass that is made in a visit. It depends on everyone in the chain of invitations
 * that led to the visit.
 */
function originOfVisit({ person, session }: Visit): Origin {
  return { madeBy: person.name, makers: [...new Set([...(session.makers ?? []), person.id])] };
}

async function newPass(
  { desks, now, randomInt }: PeopleDependencies,
  kind: Pass['kind'],
  { organization, id: person, series }: Person,
  { madeBy, makers, passkey, device }: Origin = {},
): Promise<{ secret: string; pass: Pass }> {
  const { prefix, days } = kinds[kind];
  const secret = makeSecret(prefix, randomInt);
  const at = now();
  const pass = {
    hash: hashSecret(secret),
    kind,
    organization,
    person,
    createdAt: at.toISOString(),
    expiresAt: new Date(at.getTime() + days * dayMs).toISOString(),
    ...(series !== undefined && { series }),
    ...(madeBy !== undefined && { madeBy }),
    ...(makers && { makers }),
    ...(passkey !== undefined && { passkey }),
    ...(device !== undefined && { device }),
  };
  await desks.addPass(pass);
  return { secret, pass };
}

/** Finds a pass that has not expired, and its person. */
async function findPass(
  { desks, now }: PeopleDependencies,
  kinds: readonly Pass['kind'][],
  hash: string,
): Promise<{ person: Person; pass: Pass } | undefined> {
  const pass = await desks.findPass(hash);
  if (!pass || !kinds.includes(pass.kind) || isExpired(pass, now().getTime())) return undefined;
  const person = await findOwner({ desks }, pass);
  return person && { person, pass };
}
