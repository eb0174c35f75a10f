/** The policy of operators for the causes of alarms: it allows the commands of its chapter, and no more. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { decide } from '../iam/decide.ts';
import { chapterOf, commandsOf } from '../operations-page.ts';
import { everything, synthesizeWith } from './synthesized.ts';

const stage = synthesizeWith({ stage: 'abcdefghij0123456789', ...everything });
const { Statement: statements } = stage.one('IAM::ManagedPolicy', 'OperatorDiagnose').Properties
  .PolicyDocument;
const actions: string[] = statements.flatMap(({ Action }: { Action: string | string[] }) => Action);

// The prefixes of actions that differ from the commands.
const prefixes: Record<string, string> = { deploy: 'codedeploy', 'service-quotas': 'servicequotas' };

/** Returns the action of a command, such as `lambda:UpdateAlias` for `aws lambda update-alias`. */
function actionOf(service: string, command: string): string {
  const name = command.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
  return `${prefixes[service] ?? service}:${name}`;
}

test('it allows each AWS command of docs/alarms.md, and no other action', () => {
  const chapters = ['Alarms', 'Roll back', 'Dashboard'].flatMap((each) => commandsOf(chapterOf(each)));
  const commands = [...chapters, readFileSync('examples/operate.sh', 'utf8')].join('\n');
  const needed = [...commands.matchAll(/\baws ([a-z0-9-]+) ([a-z-]+)/g)]
    .map(([, service = '', command = '']) => actionOf(service, command))
    // The bucket of the truststore is not the stack's.
    .filter((action) => !action.startsWith('s3:'));
  expect([...new Set(needed)].toSorted()).toEqual(actions.toSorted());
});

test('the policies of operators fit into managed policies, with the longest names', () => {
  // https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
  const maxCharacters = 6144;
  const policies = stage
    .all('IAM::ManagedPolicy')
    .map(({ Properties }) => resolved(Properties.PolicyDocument));
  expect(policies).toHaveLength(3);
  for (const each of policies) expect(JSON.stringify(each).length).toBeLessThan(maxCharacters);
});

const pseudo: Record<string, string> = {
  'AWS::Partition': 'aws',
  'AWS::Region': 'ap-southeast-2',
  'AWS::AccountId': '123456789012',
  'AWS::StackId': `arn:aws:cloudformation:ap-southeast-2:123456789012:stack/x/${'0'.repeat(36)}`,
};

/**
 * Replaces references by names and ARNs as CloudFormation makes them, of a function at most 64 characters.
 */
function resolved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolved);
  if (typeof value !== 'object' || value === null) return value;
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Join': join } = value as Record<string, [string, unknown[]]>; // or others
  const named = (id: string) => `${stage.stack.stackName}-${id}-ABCDEFGHIJKL`;
  if (Ref) return pseudo[String(Ref)] ?? named(String(Ref));
  if (join) return join[1].map(resolved).join(join[0]);
  if (attribute) {
    const name = named(attribute[0]);
    const isFunction = stage.all('Lambda::Function').some(({ id }) => id === attribute[0]);
    return `arn:aws:lambda:ap-southeast-2:123456789012:log-group:${isFunction ? name.slice(0, 64) : name}:*`;
  }
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, resolved(each)]));
}

test.each([
  ['reads the log of another program', 'logs:FilterLogEvents', 'arn:aws:logs:eu-1:1:log-group:others:*'],
  ['moves the alias of another function', 'lambda:UpdateAlias', 'arn:aws:lambda:eu-1:1:function:others'],
  ['empties another queue', 'sqs:PurgeQueue', 'arn:aws:sqs:eu-1:1:others'],
  ['stops another rollout', 'codedeploy:StopDeployment', 'arn:aws:codedeploy:eu-1:1:deploymentgroup:a/b'],
])('nobody with it %s', (_, action, resource) => {
  const texts = JSON.parse(JSON.stringify(resolved(statements)));
  const unconditional = texts.filter(({ Condition }: { Condition?: object }) => Condition === undefined);
  expect(decide(unconditional, { action, resource, context: {} }).isAllowed).toBe(false);
});

test('stream mappings can be enabled of the two functions that read the stream only', () => {
  const [statement] = statements.filter(
    ({ Action }: { Action: string }) => Action === 'lambda:UpdateEventSourceMapping',
  );
  const names = JSON.stringify(statement.Condition.ArnLike['lambda:FunctionArn']);
  expect(names.match(/"(IndexTestimonials|EventsPublishEvents|PublishEvents)\w*"/g)).toHaveLength(2);
});
