/** The names of all organizations. */
export interface OrganizationStore {
  add(organization: string): Promise<void>;
  /** Removes only the name, not the organization's items. */
  remove(organization: string): Promise<void>;
  /** Returns the names in alphabetical order. */
  list(): Promise<string[]>;
}
