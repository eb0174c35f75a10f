/** Our reading of WebAuthn against an independent one: SimpleWebAuthn judges the same responses. */
import { expect, test } from '@jest/globals';
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server';
import fc from 'fast-check';
import {
  readAssertion,
  readNewCredential,
  verifyAssertion,
  verifyNewCredential,
} from '../../../functions/serve-desk/web-authn.ts';
import { Authenticator, flags, type KeyKind } from '../../authenticator.ts';
import { runsOf } from '../../some-of.ts';

const origin = 'https://api.example.com';
const rpId = 'api.example.com';
const challenge = Buffer.from('a'.repeat(43)).toString('base64url');
const userHandle = Buffer.alloc(32, 1).toString('base64url');

const devices = Object.fromEntries(
  (['ec', 'rsa'] as const).map((keys) => [keys, new Authenticator(origin, { keys, counts: false })]),
) as Record<KeyKind, Authenticator>;

const ours = (judge: () => unknown) => {
  try {
    judge();
    return true;
  } catch {
    return false;
  }
};
const theirs = (verdict: Promise<{ verified: boolean }>) =>
  verdict.then(
    ({ verified }) => verified,
    () => false,
  );

const mostly = <Value>(usual: Value, ...others: Value[]) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );

const pretences = fc.record({
  keys: fc.constantFrom<KeyKind>('ec', 'rsa'),
  origin: mostly(origin, 'https://evil.example', `${origin}:8443`, 'http://api.example.com', 'null', ''),
  rpId: mostly(rpId, 'evil.example', 'example.com', ''),
  challenge: mostly(challenge, 'AAAA', ''),
  flags: mostly(flags.present | flags.verified, ...Array.from({ length: 32 }, (_, bits) => bits & ~2)),
});

test('a sign-in is accepted if SimpleWebAuthn accepts it, and its signature is exact, and never otherwise', async () => {
  const assertions = fc.record({
    said: pretences,
    type: mostly('webauthn.get', 'webauthn.create', ''),
    at: fc.option(fc.nat(), { freq: 3 }),
    part: fc.constantFrom('signature', 'authenticatorData', 'clientDataJSON'),
  });
  const judged = { accepted: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(assertions, async ({ said: { keys, ...pretence }, type, at, part }) => {
      const device = devices[keys];
      const made = device.get({ challenge, rpId }, { ...pretence, type, userHandle });
      const response: Record<string, string> = made.response;
      // One bit of one part differs.
      if (at !== null) {
        const bytes = Buffer.from(response[part] ?? '', 'base64url');
        const byte = at % bytes.length;
        bytes[byte] = (bytes[byte] ?? 0) ^ (1 << (at % 8));
        response[part] = bytes.toString('base64url');
      }
      const publicKey = device.keys.publicKey.export({ type: 'spki', format: 'der' }).toString('base64url');
      const own = ours(() => {
        const assertion = readAssertion(JSON.stringify(made));
        if (assertion.clientData.challenge !== challenge) throw new Error('challenge');
        verifyAssertion(assertion, { origin, publicKey });
      });
      const library = await theirs(
        verifyAuthenticationResponse({
          response: made as never, // some members may be of other types
          expectedChallenge: challenge,
          expectedOrigin: origin,
          expectedRPID: rpId,
          credential: { id: device.id, publicKey: device.coseKey, counter: 0 },
        }),
      );
      judged[own ? 'accepted' : 'refused'] += 1;
      // OpenSSL refuses a signature whose DER is not exact. The library reads it as it was meant.
      const isInexact = part === 'signature' && at !== null && !own;
      if (!isInexact) expect({ own, made }).toEqual({ own: library, made });
    }),
    { numRuns: runsOf(150) },
  );
  expect(Math.min(judged.accepted, judged.refused)).toBeGreaterThan(0);
});

test('a new credential is accepted exactly if SimpleWebAuthn accepts it', async () => {
  const creations = fc.record({ said: pretences, type: mostly('webauthn.create', 'webauthn.get') });
  const judged = { accepted: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(creations, async ({ said: { keys, ...pretence }, type }) => {
      const device = devices[keys];
      const shown = { ...pretence, flags: pretence.flags | flags.attested, type };
      const made = device.create({ challenge, rp: { id: rpId }, user: { id: userHandle } }, shown);
      const own = ours(() => {
        const created = readNewCredential(JSON.stringify(made));
        if (created.clientData.challenge !== challenge) throw new Error('challenge');
        verifyNewCredential(created, origin);
      });
      const library = await theirs(
        verifyRegistrationResponse({
          response: made as never, // its transports are texts
          expectedChallenge: challenge,
          expectedOrigin: origin,
          expectedRPID: rpId,
        }),
      );
      judged[own ? 'accepted' : 'refused'] += 1;
      expect({ own, made }).toEqual({ own: library, made });
    }),
    { numRuns: runsOf(100) },
  );
  expect(Math.min(judged.accepted, judged.refused)).toBeGreaterThan(0);
});
