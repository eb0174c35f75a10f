import type { Brand } from '../domain/brand.ts';
import type { Page } from '../domain/page.ts';

/** The pages of all organizations: forms and walls. Reads are strongly consistent. */
export interface PageStore {
  add(page: Page): Promise<void>;
  find(id: string): Promise<Page | undefined>;
  /** Returns the pages of an organization, oldest first. */
  list(organization: string): Promise<Page[]>;
  /**
   * Replaces the title and settings of a page. Returns false if it does not exist, or if it no longer pins
   * the testimonials of `before`. A repeated call succeeds.
   */
  replace(page: Page, before: Pick<Page, 'settings'>): Promise<boolean>;
  /** Returns false if the page does not exist. */
  remove(page: Pick<Page, 'organization' | 'id'>): Promise<boolean>;
  /**
   * Returns the brand that the pages of an organization show. It is empty if the organization has no brand.
   */
  findBrand(organization: string): Promise<Brand>;
  saveBrand(organization: string, brand: Brand): Promise<void>;
}
