import type { Challenge, Pass, Passkey, Person } from '../domain/person.ts';

/** The people of all desks, with their invitations, sessions and passkeys. Reads are strongly consistent. */
export interface DeskStore {
  addPerson(person: Person): Promise<void>;
  findPerson(organization: string, id: string): Promise<Person | undefined>;
  /** Returns the people with these ids who exist, in no particular order. */
  findPeople(organization: string, ids: readonly string[]): Promise<Person[]>;
  /** Returns the people of an organization, in no particular order. */
  listPeople(organization: string): Promise<Person[]>;
  /** Changes attributes of an existing person. */
  updatePerson(
    person: Pick<Person, 'organization' | 'id'>,
    attributes: Pick<Person, 'seenAt' | 'endedAt' | 'endedBy' | 'series'>,
  ): Promise<void>;
  /** Returns false if the person does not exist. */
  removePerson(organization: string, id: string): Promise<boolean>;
  addPass(pass: Pass): Promise<void>;
  findPass(hash: string): Promise<Pass | undefined>;
  /** Returns the passes of a person, or of all people of an organization, in no particular order. */
  listPasses(organization: string, person?: string): Promise<Pass[]>;
  /**
   * Changes the expiry, the makers or the session of a pass, and nothing else. Returns false if it was
   * removed or opened as another session.
   */
  changePass(
    pass: Pick<Pass, 'organization' | 'person' | 'hash'>,
    changes: Partial<Pick<Pass, 'expiresAt' | 'makers' | 'openedAs'>>,
  ): Promise<boolean>;
  removePass(pass: Pick<Pass, 'organization' | 'person' | 'hash'>): Promise<void>;
  /** Returns false if the credential already is a passkey. */
  addPasskey(passkey: Passkey): Promise<boolean>;
  findPasskey(hash: string): Promise<Passkey | undefined>;
  /** Returns the passkeys of a person, or of all people of an organization, in no particular order. */
  listPasskeys(organization: string, person?: string): Promise<Passkey[]>;
  /**
   * Records a use. Returns false if the passkey was removed, or if its authenticator counts and the counter
   * has not grown.
   */
  usePasskey(
    passkey: Passkey,
    use: Required<Pick<Passkey, 'signCount' | 'usedAt' | 'usedWith'>>,
  ): Promise<boolean>;
  removePasskey(passkey: Pick<Passkey, 'organization' | 'person' | 'hash'>): Promise<void>;
  removePasskeys(organization: string, person: string): Promise<void>;
  addChallenge(challenge: Challenge): Promise<void>;
  findChallenge(hash: string): Promise<Challenge | undefined>;
  /** Removes a challenge; returns false if another request has removed it. */
  consumeChallenge(hash: string): Promise<boolean>;
}
