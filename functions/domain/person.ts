/** People who moderate at the desk, and their invitations, sessions and passkeys. */
import * as v from 'valibot';
import { organizationName } from './organization-name.ts';
import { text } from './text.ts';

export const personName = text({ min: 1, max: 100 });

/** Schema of a person whom an operator or an owner invited. */
export const person = v.object({
  organization: organizationName,
  /** Ten base-62 characters. */
  id: v.string(),
  name: v.string(),
  /** Owners can do everything. People whom an older version invited are moderators. */
  role: v.optional(v.picklist(['owner', 'moderator']), 'moderator'),
  mayErase: v.boolean(),
  /** ISO 8601. */
  invitedAt: v.string(),
  /** The time of a recent visit, updated at most once an hour; absent before the first. */
  seenAt: v.exactOptional(v.string()),
  /** When all sessions were last ended. */
  endedAt: v.exactOptional(v.string()),
  /** Names the series of valid passes. Ending all sessions starts a new one. Absent in the first series. */
  series: v.exactOptional(v.string()),
  /**
   * The name of the owner who ended them, and whether that owner made a new link; absent if the person or an
   * operator ended them.
   */
  endedBy: v.exactOptional(v.nullable(v.object({ name: v.string(), hasLink: v.boolean() }))),
});

export type Person = v.InferOutput<typeof person>;

/** True for a text in the format of a person's id. */
export function isPersonId(text: string): boolean {
  return /^\w{1,40}$/.test(text);
}

/**
 * Schema of a pass: an invitation, which opens one session; a session; or a feed of pending testimonials.
 * Only the SHA-256 of its secret is stored.
 */
export const pass = v.object({
  hash: v.string(),
  kind: v.picklist(['invitation', 'session', 'feed']),
  organization: organizationName,
  /** The person's id. */
  person: v.string(),
  /** The person's series when the pass was made. */
  series: v.exactOptional(v.string()),
  /** The name of the person who made the invitation; absent if an operator did. */
  madeBy: v.exactOptional(v.string()),
  /**
   * The ids of everyone in the chain of invitations that led to this pass. The pass ends when one of them is
   * removed.
   */
  makers: v.exactOptional(v.array(v.string())),
  createdAt: v.string(),
  expiresAt: v.string(),
  /** The hash of the session that an invitation opened. An invitation opens only one session. */
  openedAs: v.exactOptional(v.string()),
  /** The name of the passkey that opened the session; absent if an invitation did. */
  passkey: v.exactOptional(v.string()),
  /** The browser and the device of the session; absent if an older version made it. */
  device: v.exactOptional(v.string()),
});

export type Pass = v.InferOutput<typeof pass>;

export const passkeyName = text({ min: 1, max: 100 });

/**
 * Schema of a passkey: a public key whose private key stays on a person's device or in their password manager
 * (WebAuthn).
 */
export const passkey = v.object({
  /** The SHA-256 of the credential's id. */
  hash: v.string(),
  /** The credential's id, in base64url. */
  credential: v.string(),
  organization: organizationName,
  /** The person's id. */
  person: v.string(),
  /**
   * Like the fields of a pass: the passkey ends with its series, and when anyone in the chain of invitations
   * that led to its session is removed.
   */
  series: v.exactOptional(v.string()),
  makers: v.exactOptional(v.array(v.string())),
  name: v.string(),
  /** The origin at which it was added. Its host is the relying party. */
  origin: v.string(),
  /** As SubjectPublicKeyInfo, in base64url. */
  publicKey: v.string(),
  /** The authenticator's counter of signatures at the last use; 0 if it does not count. */
  signCount: v.number(),
  createdAt: v.string(),
  usedAt: v.exactOptional(v.string()),
  /** The hash of the challenge that it signed last. */
  usedWith: v.exactOptional(v.string()),
});

export type Passkey = v.InferOutput<typeof passkey>;

/** Schema of a challenge, which an authenticator signs once. Only its SHA-256 is stored. */
export const challenge = v.object({
  hash: v.string(),
  /** The hash of the session that may use the challenge to add a passkey; absent for a sign-in. */
  session: v.exactOptional(v.string()),
  createdAt: v.string(),
  expiresAt: v.string(),
});

export type Challenge = v.InferOutput<typeof challenge>;

/** A person, and the session or the feed that sent the request. */
export interface Visit {
  person: Person;
  session: Pass;
  /** Set if the session now lasts longer than its cookie says. */
  isProlonged?: true;
}
