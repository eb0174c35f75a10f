/** Passkeys: people add them while they are signed in, and sign in with them later. */
import { createHash } from 'node:crypto';
import { randomDigits } from '../domain/base62.ts';
import type { Passkey, Person, Visit } from '../domain/person.ts';
import { hashSecret, isExpired, shortHash } from '../domain/token.ts';
import { findOwner, isOwnedBy, openSession, type PeopleDependencies } from './people.ts';
import {
  algorithms,
  type PasskeyRefusal,
  PasskeyRejected,
  readAssertion,
  readNewCredential,
  relyingPartyOf,
  verifyAssertion,
  verifyNewCredential,
} from './web-authn.ts';

const challengeMinutes = 5;

const changedText = 'That passkey did not work. Try again.';
const lateText = `You took longer than ${challengeMinutes} minutes, or this request was already used. Try again.`;
const elsewhereText = 'This passkey was added at another URL. Open that URL and try again.';
const unknownText =
  'This desk does not know this passkey, or it was removed. Sign in with a link: ask an owner of your desk for one.';

/** The sentence for each refusal. No sentence reveals whose passkey it was. */
const refusalTexts: Record<PasskeyRefusal, string> = {
  malformed: changedText,
  'unknown challenge': lateText,
  'expired challenge': lateText,
  'challenge of another session': lateText,
  'foreign origin': elsewhereText,
  'foreign relying party': elsewhereText,
  'no user verification':
    'Your device did not verify that it is you. Use a passkey with a fingerprint, your face or a PIN.',
  'unsupported key': 'This kind of passkey is not supported here. Use another device.',
  'known credential': 'You already added this passkey.',
  'unknown passkey': unknownText,
  'ended passkey': unknownText,
  'passkey of another person': unknownText,
  'bad signature': changedText,
  'counter went back':
    'This passkey may have been copied, so it was refused. Sign in with a link, and remove the passkey on “You”.',
};

export function refusalText({ refusal }: PasskeyRejected): string {
  return refusalTexts[refusal];
}

/** The maximum number of passkeys per person. */
export const maxPasskeys = 20;

// 43 base-62 characters have 256 random bits.
const challengeLength = 43;
const isChallenge = (text: string) => new RegExp(`^[0-9A-Za-z]{${challengeLength}}$`).test(text);

/** Returns the options of `navigator.credentials.get`, with a new challenge, as JSON of WebAuthn. */
export async function signInOptions(deps: PeopleDependencies, origin: string) {
  return {
    challenge: await newChallenge(deps),
    rpId: relyingPartyOf(origin),
    userVerification: 'required',
    // Empty, so that the browser offers the passkeys that it knows for this host.
    allowCredentials: [],
    timeout: challengeMinutes * 60_000,
  };
}

/** Returns the options of `navigator.credentials.create`, with a new challenge, as JSON of WebAuthn. */
export async function addOptions(deps: PeopleDependencies, { person, session }: Visit, origin: string) {
  const own = await passkeysOf(deps, person);
  const userName = `${person.name} (${person.organization})`;
  return {
    challenge: await newChallenge(deps, session.hash),
    rp: { id: relyingPartyOf(origin), name: `Desk of ${person.organization}` },
    user: { id: userHandle(person).toString('base64url'), name: userName, displayName: userName },
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
    excludeCredentials: own.map(({ credential }) => ({ type: 'public-key', id: credential })),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    attestation: 'none',
    timeout: challengeMinutes * 60_000,
  };
}

/**
 * Adds a passkey for the person of a visit.
 * @param response the JSON of the browser's response
 * @throws {PasskeyRejected} if the response is invalid; nothing is stored then, and the challenge is used up
 */
export async function addPasskey(
  deps: PeopleDependencies,
  { person, session }: Visit,
  { response, name, origin }: { response: string; name: string; origin: string },
): Promise<Passkey> {
  const created = readNewCredential(response);
  await consumeChallenge(deps, created.clientData.challenge, session.hash);
  const signCount = verifyNewCredential(created, origin);
  const { organization, id, series } = person;
  const { makers } = session;
  const passkey = {
    hash: hashOfCredential(created.id),
    credential: created.id,
    organization,
    person: id,
    name,
    origin,
    signCount,
    ...(series !== undefined && { series }),
    ...(makers && { makers }),
    publicKey: created.response.publicKey.toString('base64url'),
    createdAt: deps.now().toISOString(),
  };
  if (!(await deps.desks.addPasskey(passkey))) throw new PasskeyRejected('known credential');
  return passkey;
}

/**
 * Opens a session with a passkey.
 * @param response the JSON of the browser's response
 * @param device the browser and the device of the session
 * @returns the secret of the session, its person and the passkey
 * @throws {PasskeyRejected} if the response is invalid; nothing is stored then, and the challenge is used up
 */
export async function openByPasskey(
  deps: PeopleDependencies,
  response: string,
  device?: string,
): Promise<{ secret: string; person: Person; passkey: Passkey }> {
  const assertion = readAssertion(response);
  const usedWith = await consumeChallenge(deps, assertion.clientData.challenge);
  const passkey = await deps.desks.findPasskey(hashOfCredential(assertion.id));
  if (!passkey) throw new PasskeyRejected('unknown passkey');
  const person = await findOwner(deps, passkey);
  if (!person) throw new PasskeyRejected('ended passkey');
  if (!userHandle(person).equals(assertion.response.userHandle)) {
    throw new PasskeyRejected('passkey of another person');
  }
  const signCount = verifyAssertion(assertion, passkey);
  const use = { signCount, usedAt: deps.now().toISOString(), usedWith };
  // The store compares the counter, because another function may be accepting the same passkey at this
  // moment.
  if (!(await deps.desks.usePasskey(passkey, use))) {
    const isThere = (await deps.desks.findPasskey(passkey.hash)) !== undefined;
    throw new PasskeyRejected(isThere ? 'counter went back' : 'unknown passkey');
  }
  const { makers, name } = passkey;
  const { secret } = await openSession(deps, person, { makers, passkey: name, device });
  return { secret, person, passkey };
}

/**
 * Returns the valid passkeys of one person or of all people, newest first.
 * @param people the people of the organization
 */
export async function validPasskeys(
  { desks }: Pick<PeopleDependencies, 'desks'>,
  organization: string,
  people: readonly Person[],
  person?: string,
): Promise<Passkey[]> {
  return (await desks.listPasskeys(organization, person))
    .filter((passkey) => isOwnedBy(people, passkey))
    .sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
}

/** Returns the valid passkeys of a person, newest first. */
export async function passkeysOf(
  deps: Pick<PeopleDependencies, 'desks'>,
  { organization, id }: Person,
): Promise<Passkey[]> {
  return validPasskeys(deps, organization, await deps.desks.listPeople(organization), id);
}

/** @param session the hash of the session that adds a passkey; absent for a sign-in */
async function newChallenge(
  { desks, now, randomInt }: PeopleDependencies,
  session?: string,
): Promise<string> {
  const text = randomDigits(challengeLength, randomInt);
  const at = now();
  await desks.addChallenge({
    hash: hashSecret(text),
    ...(session !== undefined && { session }),
    createdAt: at.toISOString(),
    expiresAt: new Date(at.getTime() + challengeMinutes * 60_000).toISOString(),
  });
  return Buffer.from(text).toString('base64url');
}

/**
 * Uses up a challenge. Of two requests, even in different functions, only one succeeds.
 * @param sent the challenge as the browser sends it
 * @returns its hash
 */
async function consumeChallenge(
  { desks, now }: PeopleDependencies,
  sent: string,
  session?: string,
): Promise<string> {
  const text = Buffer.from(sent, 'base64url').toString('latin1');
  const hash = hashSecret(text);
  const challenge = isChallenge(text) ? await desks.findChallenge(hash) : undefined;
  if (!challenge || !(await desks.consumeChallenge(hash))) throw new PasskeyRejected('unknown challenge');
  if (isExpired(challenge, now().getTime())) throw new PasskeyRejected('expired challenge');
  if (challenge.session !== session) throw new PasskeyRejected('challenge of another session');
  return hash;
}

/** Returns the name of a passkey for forms and logs. */
export function passkeyId({ hash }: Passkey): string {
  return shortHash(hash);
}

function hashOfCredential(id: string): string {
  return hashSecret(id);
}

/**
 * Returns the 32 bytes by which an authenticator knows a person. They reveal nothing about the person
 * (section 14.6.1).
 */
function userHandle({ organization, id }: Person): Buffer {
  return createHash('sha256').update(`${organization} ${id}`).digest();
}
