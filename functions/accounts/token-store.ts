import type { TokenRecord } from '../domain/token.ts';

/** Looks up a token by its SHA-256; returns undefined if it is unknown or revoked. */
export type FindToken = (hash: string) => Promise<TokenRecord | undefined>;

/** A token as operators see it, with its public id instead of its hash. */
export type TokenSummary = Omit<TokenRecord, 'hash'> & { id: string };

export interface TokenStore {
  /**
   * Stores an issued token and returns its id.
   * @throws {ValiError} if its permissions break a rule
   */
  add(token: TokenRecord): Promise<string>;
  /** Returns an organization's tokens, oldest first. */
  list(organization: string): Promise<TokenSummary[]>;
  /** Revokes a token by its id. Returns false if it does not exist. */
  revoke(id: string): Promise<boolean>;
}
