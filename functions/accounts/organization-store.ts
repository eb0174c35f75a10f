/** What needs to be stored of organizations. */

/** The names of all organizations. */
export interface OrganizationStore {
  add(organization: string): Promise<void>;
  /** Removes the name only, none of the organization's items. */
  remove(organization: string): Promise<void>;
  /** Returns the names in alphabetical order. */
  list(): Promise<string[]>;
}
