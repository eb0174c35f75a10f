/** People who moderate at the desk, and what lets their browsers in. */
import * as v from 'valibot';
import { text } from './text.ts';
import { organizationName } from './token.ts';

/** Schema of the name by which others know a person. */
export const personName = text({ min: 1, max: 100 });

/** Schema of a person that an operator has invited. */
export const person = v.object({
  organization: organizationName,
  /** Ten base-62 characters. */
  id: v.string(),
  name: v.string(),
  mayErase: v.boolean(),
  /** ISO 8601. */
  invitedAt: v.string(),
  /** When the person was here last, to the day; absent before the first time. */
  seenAt: v.exactOptional(v.string()),
  /** The series of passes that are valid: ending all sessions begins another. Absent in the first. */
  series: v.exactOptional(v.string()),
});

export type Person = v.InferOutput<typeof person>;

/** Schema of what lets a browser in: an invitation, once, or a session. Of its secret only the SHA-256 is stored. */
export const pass = v.object({
  hash: v.string(),
  kind: v.picklist(['invitation', 'session']),
  organization: organizationName,
  /** The person's id. */
  person: v.string(),
  /** The person's series when the pass was made. */
  series: v.exactOptional(v.string()),
  createdAt: v.string(),
  expiresAt: v.string(),
  /** The hash of the session that an invitation has become, which opens nothing else then. */
  openedAs: v.exactOptional(v.string()),
});

export type Pass = v.InferOutput<typeof pass>;

/** A person, and the session by which a request is known to be theirs. */
export interface Visit {
  person: Person;
  session: Pass;
  /** Where it ends later than the browser was told. */
  isProlonged?: true;
}
