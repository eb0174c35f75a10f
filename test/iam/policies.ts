/** The policies in the synthesized template. */
import type { Statement } from './decide.ts';

interface Resource {
  Type: string;
  Properties: { PolicyDocument: { Statement: Record<string, unknown>[] } };
  Metadata: { 'aws:cdk:path': string };
}

/** Returns the policies by actor: the id of a function, `Operator/Read` or `Operator/Write`. */
export function policiesOf(template: { Resources: unknown }): Map<string, Statement[]> {
  const resources = Object.values(template.Resources as Record<string, Resource>); // as CloudFormation has them
  const policies = resources.filter(({ Type }) => /^AWS::IAM::(Managed)?Policy$/.test(Type));
  return new Map(
    policies.map(({ Properties, Metadata }) => {
      const path = Metadata['aws:cdk:path'].split('/').slice(1);
      const name = path.join('/').replace(/(Role\/DefaultPolicy)?\/Resource$/, '');
      const statements = Properties.PolicyDocument.Statement.map((statement) => ({
        ...(statement as unknown as Statement), // a policy's grammar
        Resource: [statement.Resource].flat().map(arnOf),
      }));
      return [name, statements];
    }),
  );
}

interface Intrinsic {
  Ref?: string;
  'Fn::GetAtt'?: [string, string];
  'Fn::Join'?: [string, unknown[]];
}

/** Returns an ARN as text, for a resource of the template `arn:` and its logical id. */
function arnOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const { Ref: reference, 'Fn::GetAtt': attribute, 'Fn::Join': joined } = value as Intrinsic; // others throw below
  if (reference !== undefined) return `arn:${reference}`;
  if (attribute) return `arn:${attribute.join('/').replace(/\/Arn$/, '')}`;
  if (joined) return joined[1].map(arnOf).join(joined[0]);
  throw new Error(`This form of an ARN is not supported here: ${JSON.stringify(value)}`);
}

/** Returns the ARN of the table in this form. */
export function tableArnOf(template: { Resources: unknown }): string {
  const resources = Object.entries(template.Resources as Record<string, Resource>); // as CloudFormation has them
  const [id] = resources.find(([, { Type }]) => Type === 'AWS::DynamoDB::GlobalTable') ?? [];
  if (id === undefined) throw new Error('The template has no table');
  return `arn:${id}`;
}
