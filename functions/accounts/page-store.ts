/** What needs to be stored of forms and walls. */
import type { Brand } from '../domain/brand.ts';
import type { Page } from '../domain/page.ts';

/** The pages of all organizations: forms and walls. Reads are strongly consistent. */
export interface PageStore {
  /** Stores a new page. */
  add(page: Page): Promise<void>;
  find(id: string): Promise<Page | undefined>;
  /** Returns the pages of an organization, oldest first. */
  list(organization: string): Promise<Page[]>;
  /**
   * Replaces the title and settings of a page. Returns false if it does not exist, or if the testimonials
   * that it pins are not those of `before`. A repeated call succeeds.
   */
  replace(page: Page, before: Pick<Page, 'settings'>): Promise<boolean>;
  /** Returns false if there is no such page. */
  remove(page: Pick<Page, 'organization' | 'id'>): Promise<boolean>;
  /** Returns the brand that the pages of an organization show; an empty one if it has none. */
  findBrand(organization: string): Promise<Brand>;
  saveBrand(organization: string, brand: Brand): Promise<void>;
}
