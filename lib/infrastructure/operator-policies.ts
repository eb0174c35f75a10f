/** What whoever runs the operator's command line is given: one policy for the commands that only read, one for all. */
import { CfnOutput } from 'aws-cdk-lib';
import { ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { statementsOf, type TableRights, tableRights } from './table-rights.ts';
import type { TestimonialsTable } from './testimonials-table.ts';

export class OperatorPolicies extends Construct {
  constructor(scope: Construct, id: string, { table, desk }: { table: TestimonialsTable; desk: boolean }) {
    super(scope, id);
    const policy = (name: string, rights: TableRights, description: string) => {
      const statements = statementsOf(rights, table.arns).map(PolicyStatement.fromJson);
      const { managedPolicyArn } = new ManagedPolicy(this, name, { description, statements });
      new CfnOutput(scope, `Operator${name}Policy`, { value: managedPolicyArn, description });
    };
    policy('Read', tableRights.operatorRead, 'Testimonials: the commands of npm run admin that only read');
    const all = { ...tableRights.operatorWrite, ...(desk && tableRights.invite) };
    policy('Write', all, 'Testimonials: all commands of npm run admin, and npm run check');
  }
}
