/**
 * The protocol of passkeys: reads the responses of a browser's `navigator.credentials` and verifies them
 * (WebAuthn Level 3, https://www.w3.org/TR/webauthn-3/, sections 7.1 and 7.2). It requests no attestation, so
 * the browser's own report of a new credential is as good as the attested one. Node.js verifies the
 * signatures.
 */
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import * as v from 'valibot';

/** The reason that a response is refused. The log contains it. */
export type PasskeyRefusal =
  | 'malformed'
  | 'unknown challenge'
  | 'expired challenge'
  | 'challenge of another session'
  | 'foreign origin'
  | 'foreign relying party'
  | 'no user verification'
  | 'unsupported key'
  | 'known credential'
  | 'unknown passkey'
  | 'ended passkey'
  | 'passkey of another person'
  | 'bad signature'
  | 'counter went back';

/** A response is refused. */
export class PasskeyRejected extends Error {
  override name = 'PasskeyRejected';
  readonly refusal: PasskeyRefusal;
  constructor(refusal: PasskeyRefusal) {
    super(refusal);
    this.refusal = refusal;
  }
}

/** The COSE algorithms that every passkey provider and every supported browser knows: ES256 and RS256. */
export const algorithms = [-7, -257] as const;

const smallestRsaBits = 2048;

// A credential's id has at most 1,023 bytes (section 4), and the other parts of a response are smaller than
// the largest form.
const bytes = v.pipe(
  v.string(),
  v.regex(/^[\w-]+$/),
  v.transform((text) => Buffer.from(text, 'base64url')),
);
const credentialId = v.pipe(v.string(), v.regex(/^[\w-]{1,1364}$/));

const newCredential = v.object({
  id: credentialId,
  type: v.literal('public-key'),
  response: v.object({ clientDataJSON: bytes, authenticatorData: bytes, publicKey: bytes }),
});

const assertion = v.object({
  id: credentialId,
  type: v.literal('public-key'),
  response: v.object({
    clientDataJSON: bytes,
    authenticatorData: bytes,
    signature: bytes,
    userHandle: bytes,
  }),
});

const clientData = v.object({
  type: v.string(),
  challenge: v.string(),
  origin: v.string(),
  crossOrigin: v.optional(v.boolean(), false),
});

export type NewCredential = v.InferOutput<typeof newCredential> & { clientData: ClientData };
export type Assertion = v.InferOutput<typeof assertion> & { clientData: ClientData };

type ClientData = v.InferOutput<typeof clientData>;

/**
 * Reads the response of `navigator.credentials.create`, without verifying it.
 * @param text its JSON, as `RegistrationResponseJSON`
 * @throws {PasskeyRejected} if it is malformed
 */
export function readNewCredential(text: string): NewCredential {
  return withClientData(parsed(newCredential, text), 'webauthn.create');
}

/**
 * Reads the response of `navigator.credentials.get`, without verifying it.
 * @param text its JSON, as `AuthenticationResponseJSON`
 * @throws {PasskeyRejected} if it is malformed
 */
export function readAssertion(text: string): Assertion {
  return withClientData(parsed(assertion, text), 'webauthn.get');
}

/**
 * Verifies a new credential, apart from its challenge.
 * @param origin the origin of the page that adds it
 * @returns its counter
 * @throws {PasskeyRejected} if it is invalid
 */
export function verifyNewCredential({ id, clientData, response }: NewCredential, origin: string): number {
  verifyOrigin(clientData, origin);
  const { attested, signCount } = verifyAuthenticator(response.authenticatorData, origin);
  // The attested credential: 16 bytes of AAGUID, the length of the id, and the id.
  const length = attested.length >= 18 ? attested.readUInt16BE(16) : 0;
  if (length === 0 || !attested.subarray(18, 18 + length).equals(Buffer.from(id, 'base64url'))) {
    throw new PasskeyRejected('malformed');
  }
  readKey(response.publicKey);
  return signCount;
}

/**
 * Verifies an assertion, apart from its challenge and its counter.
 * @param passkey its origin, and its public key in base64url
 * @returns its counter
 * @throws {PasskeyRejected} if it is invalid
 */
export function verifyAssertion(
  { clientData, response }: Assertion,
  { origin, publicKey }: { origin: string; publicKey: string },
): number {
  verifyOrigin(clientData, origin);
  const { signCount } = verifyAuthenticator(response.authenticatorData, origin);
  const signed = Buffer.concat([response.authenticatorData, sha256(response.clientDataJSON)]);
  // Both algorithms hash with SHA-256. Signatures of EC keys are in DER, as authenticators send them.
  if (!verify('sha256', signed, readKey(Buffer.from(publicKey, 'base64url')), response.signature)) {
    throw new PasskeyRejected('bad signature');
  }
  return signCount;
}

/** Returns the relying party of an origin: its host. */
export function relyingPartyOf(origin: string): string {
  return new URL(origin).hostname;
}

function parsed<Schema extends v.GenericSchema>(schema: Schema, text: string): v.InferOutput<Schema> {
  const { success, output } = v.safeParse(schema, jsonOf(text));
  if (!success) throw new PasskeyRejected('malformed');
  return output;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function withClientData<Read extends { response: { clientDataJSON: Buffer } }>(read: Read, type: string) {
  const client = parsed(clientData, read.response.clientDataJSON.toString('utf8'));
  if (client.type !== type) throw new PasskeyRejected('malformed');
  return { ...read, clientData: client };
}

function verifyOrigin({ origin, crossOrigin }: ClientData, own: string): void {
  if (origin !== own || crossOrigin) throw new PasskeyRejected('foreign origin');
}

// Section 6.1.
const flagBits = {
  userPresent: 0x01,
  userVerified: 0x04,
  backupEligible: 0x08,
  backedUp: 0x10,
  attested: 0x40,
};

/** Reads authenticator data, and verifies its relying party and flags. */
function verifyAuthenticator(data: Buffer, origin: string): { signCount: number; attested: Buffer } {
  if (data.length < 37) throw new PasskeyRejected('malformed');
  if (!data.subarray(0, 32).equals(sha256(relyingPartyOf(origin))))
    throw new PasskeyRejected('foreign relying party');
  const flags = data.readUInt8(32);
  const has = (bit: number) => (flags & bit) !== 0;
  if (!has(flagBits.userPresent) || !has(flagBits.userVerified))
    throw new PasskeyRejected('no user verification');
  if (has(flagBits.backedUp) && !has(flagBits.backupEligible)) throw new PasskeyRejected('malformed');
  return {
    signCount: data.readUInt32BE(33),
    attested: has(flagBits.attested) ? data.subarray(37) : Buffer.of(),
  };
}

/** Reads a public key of one of `algorithms`. */
function readKey(spki: Buffer): KeyObject {
  const key = keyOf(spki);
  const { namedCurve, modulusLength = 0 } = key?.asymmetricKeyDetails ?? {};
  const isEc = key?.asymmetricKeyType === 'ec' && namedCurve === 'prime256v1';
  const isRsa = key?.asymmetricKeyType === 'rsa' && modulusLength >= smallestRsaBits;
  if (!key || !(isEc || isRsa)) throw new PasskeyRejected('unsupported key');
  return key;
}

function keyOf(spki: Buffer): KeyObject | undefined {
  try {
    return createPublicKey({ key: spki, format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}

function sha256(data: Buffer | string): Buffer {
  return createHash('sha256').update(data).digest();
}
