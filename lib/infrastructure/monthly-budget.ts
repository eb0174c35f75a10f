/** Tells by e-mail when the account costs more than it should. */
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { Construct } from 'constructs';

export interface MonthlyBudgetProps {
  /** US dollars. */
  amount: number;
  email: string;
}

export class MonthlyBudget extends Construct {
  constructor(scope: Construct, id: string, { amount, email }: MonthlyBudgetProps) {
    super(scope, id);
    // Without a name of its own: another subscriber replaces it, and the new one is there before the old one goes
    // (https://github.com/aws-cloudformation/cloudformation-coverage-roadmap/issues/365). All regions of an account share the names.
    new CfnBudget(this, 'Budget', {
      budget: {
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount, unit: 'USD' },
      },
      notificationsWithSubscribers: [80, 100].map((threshold) => ({
        notification: {
          notificationType: 'ACTUAL',
          comparisonOperator: 'GREATER_THAN',
          threshold,
          thresholdType: 'PERCENTAGE',
        },
        subscribers: [{ subscriptionType: 'EMAIL', address: email }],
      })),
    });
  }
}
