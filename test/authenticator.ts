/**
 * An authenticator in software: makes passkeys and signs with them as a device and its browser do, or with
 * the errors of a `ForgedResponse`.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

/** False statements of a device or a browser. */
export interface ForgedResponse {
  origin?: string;
  rpId?: string;
  type?: string;
  challenge?: string;
  crossOrigin?: boolean;
  /** The flags of the authenticator's data; present and verified by default. */
  flags?: number;
  count?: number;
  id?: string;
  userHandle?: string;
  /** Changes the bytes that are signed, after they are. */
  damage?: (bytes: Buffer) => Buffer;
}

export interface Options {
  challenge: string;
  rpId?: string;
  rp?: { id: string };
  user?: { id: string };
}

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest();
export const flags = { present: 1, verified: 4, backupEligible: 8, backedUp: 16, attested: 64 };

export type KeyKind = 'ec' | 'rsa' | 'small rsa' | 'p384';

/** A passkey on a device. */
export class Authenticator {
  readonly id = randomBytes(16).toString('base64url');
  readonly keys: { publicKey: KeyObject; privateKey: KeyObject };
  readonly origin: string;
  readonly counts: boolean;
  userHandle = '';
  count = 0;
  /** @param counts whether the device counts its signatures; most passkeys that sync do not */
  constructor(origin = 'https://api.example.com', { counts = true, keys = 'ec' as KeyKind } = {}) {
    this.origin = origin;
    this.counts = counts;
    this.keys = keysOf(keys);
  }
  get #spki(): Buffer {
    return this.keys.publicKey.export({ type: 'spki', format: 'der' });
  }

  /** The key as an authenticator encodes it (COSE, RFC 9053). */
  get coseKey(): Uint8Array<ArrayBuffer> {
    const { x = '', y = '', n = '', e = '' } = this.keys.publicKey.export({ format: 'jwk' });
    const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'));
    const key = n
      ? new Map<number, number | Uint8Array>([
          [1, 3],
          [3, -257],
          [-1, bytes(n)],
          [-2, bytes(e)],
        ])
      : new Map<number, number | Uint8Array>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, bytes(x)],
          [-3, bytes(y)],
        ]);
    return new Uint8Array(isoCBOR.encode(key as never)); // a map of COSE
  }

  /** Returns the response to `navigator.credentials.create`, as `RegistrationResponseJSON`. */
  create({ challenge, rp, user }: Options, pretence: ForgedResponse = {}) {
    this.userHandle = user?.id ?? '';
    const id = Buffer.from(pretence.id ?? this.id, 'base64url');
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const attested = Buffer.concat([Buffer.alloc(16), length, id, this.coseKey]);
    const shown = flags.present | flags.verified | flags.attested;
    const authData = this.#authData(rp?.id ?? '', { flags: shown, ...pretence }, attested);
    const entries: [string, unknown][] = [
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', new Uint8Array(authData)],
    ];
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: this.#clientData('webauthn.create', challenge, pretence).toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        attestationObject: Buffer.from(isoCBOR.encode(new Map(entries) as never)).toString('base64url'),
        publicKey: this.#spki.toString('base64url'),
        publicKeyAlgorithm: this.keys.publicKey.asymmetricKeyType === 'rsa' ? -257 : -7,
        transports: ['internal'],
      },
    };
  }

  /** Returns the response to `navigator.credentials.get`, as `AuthenticationResponseJSON`. */
  get({ challenge, rpId = '' }: Options, pretence: ForgedResponse = {}) {
    if (this.counts) this.count += 1;
    const authData = this.#authData(rpId, pretence);
    const clientData = this.#clientData('webauthn.get', challenge, pretence);
    const signature = sign('sha256', Buffer.concat([authData, sha256(clientData)]), this.keys.privateKey);
    const id = pretence.id ?? this.id;
    return {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: (pretence.damage?.(signature) ?? signature).toString('base64url'),
        userHandle: pretence.userHandle ?? this.userHandle,
      },
    };
  }

  #clientData(type: string, challenge: string, pretence: ForgedResponse): Buffer {
    const { crossOrigin = false } = pretence;
    const said = { type, challenge, origin: this.origin, ...pretence };
    return Buffer.from(
      JSON.stringify({ type: said.type, challenge: said.challenge, origin: said.origin, crossOrigin }),
    );
  }

  #authData(rpId: string, pretence: ForgedResponse, attested = Buffer.alloc(0)): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(pretence.count ?? this.count);
    const shown = pretence.flags ?? flags.present | flags.verified;
    return Buffer.concat([sha256(pretence.rpId ?? rpId), Buffer.of(shown), counter, attested]);
  }
}

function keysOf(kind: KeyKind) {
  if (kind === 'ec') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  if (kind === 'p384') return generateKeyPairSync('ec', { namedCurve: 'P-384' });
  return generateKeyPairSync('rsa', { modulusLength: kind === 'rsa' ? 2048 : 1024 });
}
