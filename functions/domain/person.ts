/** People who moderate at the desk, and their invitations and sessions. */
import * as v from 'valibot';
import { text } from './text.ts';
import { organizationName } from './token.ts';

/** Schema of a person's name. */
export const personName = text({ min: 1, max: 100 });

/** Schema of a person whom an operator or an owner invited. */
export const person = v.object({
  organization: organizationName,
  /** Ten base-62 characters. */
  id: v.string(),
  name: v.string(),
  /** Owners manage forms and walls. People invited by an older version are moderators. */
  role: v.optional(v.picklist(['owner', 'moderator']), 'moderator'),
  mayErase: v.boolean(),
  /** ISO 8601. */
  invitedAt: v.string(),
  /** The hour of the person's last visit; absent before the first. */
  seenAt: v.exactOptional(v.string()),
  /** When all sessions were ended last. */
  endedAt: v.exactOptional(v.string()),
  /** Names the series of valid passes. Ending all sessions starts a new one. Absent in the first series. */
  series: v.exactOptional(v.string()),
  /** The name of the owner who ended them, and whether to make a new link; absent if the person or an operator ended them. */
  endedBy: v.exactOptional(v.nullable(v.object({ name: v.string(), hasLink: v.boolean() }))),
});

export type Person = v.InferOutput<typeof person>;

/** Returns true for a text that can be a person's id. */
export function isPersonId(text: string): boolean {
  return /^\w{1,40}$/.test(text);
}

/**
 * Schema of a pass: an invitation, which opens one session, a session, or the feed of what waits. Only the SHA-256 of its secret is
 * stored.
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
  /** The ids of the people by whose links the pass came about. The pass ends when one of them is removed. */
  makers: v.exactOptional(v.array(v.string())),
  createdAt: v.string(),
  expiresAt: v.string(),
  /** The hash of the session that an invitation opened. It opens only one. */
  openedAs: v.exactOptional(v.string()),
});

export type Pass = v.InferOutput<typeof pass>;

/** A person, and the session, or the feed, that sent the request. */
export interface Visit {
  person: Person;
  session: Pass;
  /** Set if the session now ends later than its cookie says. */
  isProlonged?: true;
}
