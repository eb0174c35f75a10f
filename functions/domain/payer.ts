/** The budgets that pay for requests. */

/**
 * The budgets of an organization: for its secret tokens, its tokens in web pages and walls, its desk, and its
 * forms.
 */
export type BudgetName = 'general' | 'published' | 'desk' | 'forms';

/** The budget that pays for a request. */
export interface Payer {
  organization: string;
  budget: BudgetName;
  /** The payer's share of the organization's limits, from 0 to 1. */
  share: number;
}
