/** What whoever runs the operator's command line is given: one policy for the commands that only read, one for all. */
import { CfnOutput } from 'aws-cdk-lib';
import { ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { statementsOf, tableRights } from './table-rights.ts';
import type { TestimonialsTable } from './testimonials-table.ts';

export class OperatorPolicies extends Construct {
  constructor(scope: Construct, id: string, table: TestimonialsTable) {
    super(scope, id);
    const policy = (name: string, rights: keyof typeof tableRights, description: string) => {
      const { managedPolicyArn } = new ManagedPolicy(this, name, {
        description,
        statements: statementsOf(tableRights[rights], table.arns).map(PolicyStatement.fromJson),
      });
      new CfnOutput(scope, `Operator${name}Policy`, { value: managedPolicyArn, description });
    };
    policy('Read', 'operatorRead', 'Testimonials: the commands of npm run admin that only read');
    policy('Write', 'operatorWrite', 'Testimonials: all commands of npm run admin, and npm run check');
  }
}
