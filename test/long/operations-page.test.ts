/**
 * Plays the commands of the pages for operators as they are printed, with the AWS CLI on an emulated account
 * (moto) that has the resources of the template: every section that an alarm names, a stopped rollout, a
 * poisoned record, a lost index and a restore.
 */
import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { ordinalOf } from '../../functions/domain/testimonial-id.ts';
import { indexHeadKey, testimonialKey } from '../../functions/dynamodb/keys.ts';
import { openTable, type Table } from '../../functions/dynamodb/table.ts';
import { eraseTestimonial } from '../../functions/testimonials/operations/erase-testimonial.ts';
import { localClientConfig } from '../../lib/local-runner/settings.ts';
import { operatorOf } from '../../lib/operator/session.ts';
import { createApiClient, storesOf, testimonialBody } from '../api-client.ts';
import { type EmulatedAws, emulatedAws, hasEmulator, timeOfVersion } from '../emulated-aws.ts';
import { synthesizeWith } from '../infrastructure/synthesized.ts';
import { chapterOf, commandsOf, sectionsOf } from '../operations-page.ts';
import { someOf } from '../some-of.ts';
import { storedTestimonials } from '../stored-items.ts';

const stackName = 'testimonials-prod';
const isEmulated = await hasEmulator();
if (!isEmulated)
  console.warn('moto or the AWS CLI is not installed: the commands of the pages are not played');

const deployed = synthesizeWith({
  stage: 'prod',
  events: true,
  desk: true,
  pages: true,
  moderation: true,
  webhookUrl: 'https://www.example.com/hook',
});

/** Returns commands that find the examples from any folder. */
const fromHere = (commands = '') => commands.replace(' examples/', ` ${process.cwd()}/examples/`);
const definitions = fromHere(commandsOf(chapterOf('Alarms'))[0]);
/** Returns the commands of a section of a chapter. */
const textOf = (chapter: string, heading: string): string => {
  const [, text = ''] = chapterOf(chapter).split(`### ${heading}\n`);
  return text.split('\n### ')[0] ?? '';
};
const section = (chapter: string, heading: string): string => commandsOf(textOf(chapter, heading)).join('\n');

let aws: EmulatedAws;
let table: Table;

/** Returns the id of a resource in the template. */
const idOf = (type: string, beginning: string) => deployed.one(type, beginning).id;

(isEmulated ? describe : describe.skip)('on an emulated account', () => {
  beforeAll(async () => {
    aws = await emulatedAws(deployed, stackName);
    const name = await aws.cli(
      'cloudformation',
      'describe-stacks',
      '--stack-name',
      stackName,
      '--output',
      'text',
      '--query',
      'Stacks[0].Outputs[0].OutputValue',
    );
    table = openTable(name, {
      config: { ...localClientConfig(aws.endpoint), requestHandler: {} },
    });
    const api = await createApiClient(table);
    await operatorOf(table).organizations.add('acme');
    for (let nth = 0; nth < 3; nth += 1) await api.create(testimonialBody());
    await mapStreams(name);
    await aws.define(definitions);
    await log('ListTestimonials', { level: 'ERROR', message: 'Request failed' });
    const event = { source: 'testimonials', 'detail-type': 'testimonial.created', detail: { identity: 'a' } };
    await makeTruststore();
    for (const each of ['EventsDeadLetters', 'EventsUndelivered', 'ListIndexDeadLetters']) {
      const message = ['--message-body', JSON.stringify(event)];
      await aws.cli('sqs', 'send-message', '--queue-url', await queueUrl(each), ...message);
    }
  });

  /** Puts a truststore with one authority into the bucket of the pages. */
  async function makeTruststore(): Promise<void> {
    const made = [
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-subj',
      '/CN=An authority',
      '-keyout',
      '/dev/null',
    ];
    await promisify(execFile)('openssl', ['req', ...made, '-out', join(aws.folder, 'made.pem')]);
    await aws.cli('s3', 'mb', 's3://a-bucket');
    await aws.cli('s3', 'cp', 'made.pem', 's3://a-bucket/truststore.pem');
  }

  /** Maps the table's stream to the two functions that read it. */
  async function mapStreams(name: string): Promise<void> {
    const query = ['--query', 'Table.LatestStreamArn', '--output', 'text'];
    const stream = await aws.cli('dynamodb', 'describe-table', '--table-name', name, ...query);
    for (const each of ['IndexTestimonials', 'PublishEvents']) {
      const fn = ['--function-name', idOf('Lambda::Function', each)];
      await aws.cli('lambda', 'publish-version', ...fn);
      await aws.cli('lambda', 'create-alias', ...fn, '--name', 'live', '--function-version', '1');
      const qualified = ['--function-name', `${fn[1]}:live`];
      const source = ['--event-source-arn', stream, '--starting-position', 'TRIM_HORIZON'];
      await aws.cli('lambda', 'create-event-source-mapping', ...qualified, ...source, '--no-enabled');
    }
  }

  /** Adds lines to the log of a function. */
  async function log(name: string, ...lines: object[]): Promise<void> {
    const group = ['--log-group-name', idOf('Logs::LogGroup', `${name}Logs`)];
    const stream = ['--log-stream-name', `s${Date.now()}`];
    await aws.cli('logs', 'create-log-stream', ...group, ...stream);
    const events = lines.map((line) => ({ timestamp: Date.now(), message: JSON.stringify(line) }));
    await aws.cli('logs', 'put-log-events', ...group, ...stream, '--log-events', JSON.stringify(events));
  }

  const queueUrl = (beginning: string) =>
    aws.cli(
      'cloudformation',
      'describe-stack-resource',
      '--stack-name',
      stackName,
      '--output',
      'text',
      '--logical-resource-id',
      idOf('SQS::Queue', beginning),
      '--query',
      'StackResourceDetail.PhysicalResourceId',
    );

  async function playSection(heading: string): Promise<void> {
    const commands = section('Alarms', heading);
    // A section without commands names the one with them.
    if (commands === '') return expect(textOf('Alarms', heading)).toMatch(/\]\(#(?:api-errors|no-traffic)\)/);
    const { output } = await aws.play(commands);
    expect(output).not.toMatch(/error occurred|Unknown options|usage:/);
    if (commands.includes("errors ''")) expect(output).toContain('Request failed');
    if (commands.includes('mapping ')) expect(output).toMatch(/Disabled|Enabled/);
    if (commands.includes('openssl ')) expect(output).toContain('An authority');
  }

  const drilled = ['Events undelivered', 'Unreadable item'];
  test.each(someOf(sectionsOf('Alarms').filter((each) => !drilled.includes(each))))(
    'the commands of “%s” work as printed',
    playSection,
  );

  test('“Events undelivered” sends the events again and empties the queue', async () => {
    await playSection('Events undelivered');
    const again = JSON.parse(await readFile(join(aws.folder, 'again.json'), 'utf8'));
    expect(again).toContainEqual({
      EventBusName: idOf('Events::EventBus', 'EventsBus'),
      Source: 'testimonials',
      DetailType: 'testimonial.created',
      Detail: '{"identity":"a"}',
    });
  });

  test('“Events undelivered” keeps the message of an event that the bus rejects', async () => {
    const url = await queueUrl('EventsUndelivered');
    for (const identity of ['b', 'c']) {
      const event = { source: 'testimonials', 'detail-type': 'testimonial.created', detail: { identity } };
      await aws.cli('sqs', 'send-message', '--queue-url', url, '--message-body', JSON.stringify(event));
    }
    await writeFile(join(aws.folder, 'reject-events'), '');
    const { output } = await aws.play(section('Alarms', 'Events undelivered').replace(/^Or drop .*/m, ''));
    await rm(join(aws.folder, 'reject-events'));
    expect(output).toContain('ThrottlingException');
    const attributes = ['--attribute-names', 'All', '--query', 'Attributes', '--output', 'json'];
    const left = JSON.parse(await aws.cli('sqs', 'get-queue-attributes', '--queue-url', url, ...attributes));
    expect(
      Number(left.ApproximateNumberOfMessages) + Number(left.ApproximateNumberOfMessagesNotVisible),
    ).toBe(1);
  });

  test('the log of a function is printed a line for each message', async () => {
    await log('PublishEvents', { level: 'ERROR', nth: 1 }, { level: 'ERROR', nth: 2 });
    const { output } = await aws.play('errors PublishEvents');
    // The terminal shows what is typed, too.
    const lines = output.split(/\r?\n/).filter((line) => line.startsWith('{'));
    expect(lines.map((line) => JSON.parse(line).nth)).toEqual([1, 2]);
  });

  test('functions return to the versions of an earlier time, also among more than fifty', async () => {
    await writeFile(join(aws.folder, 'many-versions'), '');
    const { output } = await aws.play(`return_to ${timeOfVersion(119)}`);
    await rm(join(aws.folder, 'many-versions'));
    const functions = [
      'CreateTestimonial',
      'ListTestimonials',
      'ModerateTestimonials',
      'ServeDesk',
      'ServePages',
    ];
    for (const name of functions) expect(output).toContain(`${name}: version 118`);
    expect(aws.requests.slice(-1)).toMatchObject([{ body: { FunctionVersion: '118', RoutingConfig: {} } }]);
  });

  test.each(
    someOf([
      ['repo:your-organization@123/your-repository@456', 'since July 2026'],
      ['', 'before'],
    ]),
  )('the roles trust the tokens of a repository that was created %s', async (prefix, _) => {
    await writeFile(join(aws.folder, 'subject'), prefix);
    const [letIn, createRoles = '', environments] = commandsOf(chapterOf('Deploy from GitHub')).map(fromHere);
    await aws.play(prefix === '' ? createRoles : `${letIn}\n${createRoles}`);
    const names = ['dev', 'prod-changes', 'prod'];
    for (const name of names) {
      const role = ['--role-name', `testimonials-${name}-github`];
      const query = ['--query', 'Role.AssumeRolePolicyDocument', '--output', 'json'];
      const trusted = JSON.parse(await aws.cli('iam', 'get-role', ...role, ...query));
      expect(trusted.Statement[0].Condition.StringEquals).toEqual({
        'token.actions.githubusercontent.com:aud': 'sts.amazonaws.com',
        'token.actions.githubusercontent.com:sub': `${prefix || 'repo:your-organization/your-repository'}:environment:${name}`,
      });
      const cdk = ['--policy-name', 'cdk', '--query', 'PolicyDocument', '--output', 'json'];
      const { Statement } = JSON.parse(await aws.cli('iam', 'get-role-policy', ...role, ...cdk));
      const actions =
        name === 'prod-changes'
          ? ['cloudformation:DescribeStacks', 'cloudformation:GetTemplate']
          : 'sts:AssumeRole';
      expect(Statement).toEqual([expect.objectContaining({ Effect: 'Allow', Action: actions })]);
      await aws.cli('iam', 'delete-role-policy', ...role, '--policy-name', 'cdk');
      await aws.cli('iam', 'delete-role', ...role);
    }
    // Each environment is limited to main before it gets a role.
    const sourced = createRoles.replace(/^create_roles .*/m, '');
    const { output } = await aws.play(`${sourced}\nREPOSITORY=a/b ACCOUNT=1\n${environments}`);
    const calls = output.split(/\r?\n/).filter((line) => line.startsWith('gh '));
    for (const [nth, name] of names.entries()) {
      const [limit, main, role] = calls.slice(3 * nth);
      expect(limit).toMatch(
        new RegExp(`PUT repos/a/b/environments/${name} .*custom_branch_policies\\]=true$`),
      );
      expect(main).toMatch(
        new RegExp(`POST repos/a/b/environments/${name}/deployment-branch-policies .*name=main$`),
      );
      expect(role).toContain(`--env ${name} --body arn:aws:iam::1:role/testimonials-${name}-github`);
    }
  });

  test('a mapping that was disabled is enabled', async () => {
    await aws.play(section('Alarms', 'Events stopped'));
    const fn = `${idOf('Lambda::Function', 'PublishEvents')}:live`;
    const query = ['--query', 'EventSourceMappings[0].State', '--output', 'text'];
    expect(await aws.cli('lambda', 'list-event-source-mappings', '--function-name', fn, ...query)).toBe(
      'Enabled',
    );
  });

  test('a stopped rollout: alarms are ignored for a fix, and the alias returns to an earlier version', async () => {
    const fn = ['--function-name', idOf('Lambda::Function', 'ListTestimonials')];
    for (const description of ['first', 'second']) {
      await aws.cli('lambda', 'update-function-configuration', ...fn, '--description', description);
      await aws.cli('lambda', 'publish-version', ...fn);
    }
    await aws.cli('lambda', 'create-alias', ...fn, '--name', 'live', '--function-version', '2');
    const query = ['--query', "Versions[?Version=='2'].LastModified", '--output', 'text'];
    const time = await aws.cli('lambda', 'list-versions-by-function', ...fn, ...query);

    const [disable = '', stop = '', goBack = ''] = commandsOf(chapterOf('Roll back'));
    const { output } = await aws.play(`${disable}\n${stop}\n${goBack.replace(/2026-\S+/, time)}`);
    expect(aws.requests.map(({ call }) => call)).toContain('StopDeployment');
    const disabled = aws.requests.filter(({ call }) => call === 'UpdateDeploymentGroup');
    expect(disabled.map(({ body }) => body)).toEqual(
      deployed.all('CodeDeploy::DeploymentGroup').map(({ id }) => ({
        applicationName: idOf('CodeDeploy::Application', 'Rollout'),
        currentDeploymentGroupName: id,
        alarmConfiguration: { enabled: false, alarms: [{ name: 'ApiErrors' }] },
      })),
    );
    expect(output).toContain(`ServeDesk: no version is older than ${time}`);
    const version = ['--query', 'FunctionVersion', '--output', 'text'];
    expect(await aws.cli('lambda', 'get-alias', ...fn, '--name', 'live', ...version)).toBe('1');
  });

  test('a poisoned record: its testimonial is erased, and the index is repaired', async () => {
    const [stored] = await storedTestimonials(table);
    const id = String(stored?.testimonial.id);
    const Key = testimonialKey('acme', ordinalOf(id));
    const change = {
      UpdateExpression: 'SET #fields.rating = :text',
      ExpressionAttributeNames: { '#fields': 'fields' },
      ExpressionAttributeValues: { ':text': 'five' },
    };
    await table.client.send(new UpdateCommand({ TableName: table.name, Key, ...change }));
    await log('ListTestimonials', { message: 'An item cannot be read', keys: Key, attribute: 'rating' });
    expect((await verify()).output).toContain('rating is missing or not valid');
    const commands = section('Alarms', 'Unreadable item').replace('test_1234567890121', id);
    // The erasure exits with 1, because words of the testimonial may be left for the next command.
    const { output } = await aws.play(`set +e\n${commands}`);
    expect(output).toContain('An item cannot be read');
    expect((await verify()).output).toContain('0 differences');
  });

  const verify = () => aws.play(`npm run admin -- index verify --organization acme --table $TABLE || true`);

  test('a lost index is found and rebuilt', async () => {
    await table.client.send(new DeleteCommand({ TableName: table.name, Key: indexHeadKey('acme') }));
    // The first of its commands exits with 1 because of what it finds.
    const { output } = await aws.play(`set +e\n${section('Alarms', 'Index update failures')}`);
    expect(output).toMatch(/differ|no index/i);
    expect((await verify()).output).toContain('0 differences');
  });

  test('a restore brings back the table without the people who were erased since, from the first command to the last', async () => {
    const api = await createApiClient(table);
    const remaining = await api.create(testimonialBody({ content: 'This one stays in the backup' }));
    const later = await api.create(testimonialBody({ content: 'Erased after the backup was made' }));
    const before = await api.create(testimonialBody({ content: 'Erased before the backup was made' }));
    await eraseTestimonial({ ...storesOf(table), now: table.now }, 'acme', before.body.id);
    await log('IndexTestimonials', {
      message: 'Testimonial erased',
      organization: 'acme',
      id: later.body.id,
    });
    const backups = ['--point-in-time-recovery-specification', 'PointInTimeRecoveryEnabled=true'];
    await aws.cli('dynamodb', 'update-continuous-backups', '--table-name', table.name, ...backups);
    const [token] = await operatorOf(table).tokens.list('acme');

    const [names = '', ...steps] = commandsOf(chapterOf('Restore from a backup'));
    const [stop, restore, eraseAgain, eraseToo, rebuild, tokens, use] = steps;
    const play = (commands = '') => aws.play(`${names}\n${commands}`);
    for (const each of [stop, restore, eraseAgain, eraseToo, rebuild]) await play(each);
    // The page leaves the choice of a token to the reader; a difference of the lists is no failure.
    await play(`set +e\n${tokens?.replace('acme.…', String(token?.id))}`);
    expect((await play(use)).output).toMatch(/:table\/testimonials-prod-2026-11-22\/stream\//);

    const restored = openTable('testimonials-prod-2026-11-22', {
      config: { ...localClientConfig(aws.endpoint), requestHandler: {} },
    });
    const { tokens: left } = operatorOf(restored);
    const all = await storedTestimonials(restored);
    const ids = all.map(({ testimonial }) => testimonial.id);
    expect(ids).toContain(remaining.body.id);
    expect(ids).not.toContain(later.body.id);
    expect(ids).not.toContain(before.body.id);
    expect((await left.list('acme')).map(({ id }) => id)).not.toContain(token?.id);
    expect((await play('npm run admin -- index verify --all --table $NEW')).output).toContain(
      '0 differences',
    );
  });
});
