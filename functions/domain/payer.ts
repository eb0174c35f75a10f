/** Who pays for a request. */

/**
 * The budgets of an organization: for its private tokens, its tokens in web pages and walls, its desk, and
 * its forms.
 */
export type BudgetName = 'general' | 'published' | 'desk' | 'forms';

/** The budget that pays for a request. */
export interface Payer {
  organization: string;
  budget: BudgetName;
  /** Its share of the organization's limits, from 0 to 1. */
  share: number;
}
