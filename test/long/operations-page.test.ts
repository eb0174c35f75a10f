/**
 * Plays the commands of the pages for operators as they are printed, with the AWS CLI on an emulated account (moto) that has the
 * resources of the template: every section that an alarm names, a stopped rollout, a poisoned record, a lost index and a restore.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { ordinalOf } from '../../functions/domain/testimonial-id.ts';
import { eraseTestimonial } from '../../functions/operations/erase-testimonial.ts';
import { indexHeadKey, testimonialKey } from '../../functions/persistence/keys.ts';
import { openTable, type Table } from '../../functions/persistence/table.ts';
import { localClientConfig } from '../../lib/local-runner/settings.ts';
import { operatorOf } from '../../lib/operator/session.ts';
import { createApiClient, testimonialBody } from '../api-client.ts';
import { type EmulatedAws, emulatedAws, hasEmulator } from '../emulated-aws.ts';
import { synthesizeWith } from '../infrastructure/synthesized.ts';
import { chapterOf, commandsOf, sectionsOf } from '../operations-page.ts';

const stackName = 'testimonials-prod';
const isEmulated = await hasEmulator();
if (!isEmulated)
  console.warn('moto or the AWS CLI is not installed: the commands of the pages are not played');

const deployed = synthesizeWith({
  ...{ stage: 'prod', events: true, desk: true, pages: true, moderation: true },
  webhookUrl: 'https://www.example.com/hook',
});

const [definitions = ''] = commandsOf(chapterOf('Alarms'));
/** Returns the commands of a section of a chapter. */
const section = (chapter: string, heading: string): string => {
  const [, text = ''] = chapterOf(chapter).split(`### ${heading}\n`);
  return commandsOf(text.split('\n### ')[0] ?? '').join('\n');
};

let aws: EmulatedAws;
let table: Table;

/** Returns the id of a resource in the template. */
const idOf = (type: string, beginning: string) => deployed.one(type, beginning).id;

(isEmulated ? describe : describe.skip)('on an emulated account', () => {
  beforeAll(async () => {
    aws = await emulatedAws(deployed, stackName);
    const name = await aws.cli(
      ...['cloudformation', 'describe-stacks', '--stack-name', stackName, '--output', 'text'],
      ...['--query', 'Stacks[0].Outputs[0].OutputValue'],
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
    for (const each of ['EventsDeadLetters', 'EventsUndelivered', 'ListIndexDeadLetters']) {
      const message = ['--message-body', JSON.stringify(event)];
      await aws.cli('sqs', 'send-message', '--queue-url', await queueUrl(each), ...message);
    }
  });

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
      ...['cloudformation', 'describe-stack-resource', '--stack-name', stackName, '--output', 'text'],
      ...['--logical-resource-id', idOf('SQS::Queue', beginning)],
      ...['--query', 'StackResourceDetail.PhysicalResourceId'],
    );

  // Unreadable item has a drill of its own.
  test.each(sectionsOf('Alarms').filter((each) => each !== 'Unreadable item'))(
    'the commands of “%s” work as printed',
    async (heading) => {
      const commands = section('Alarms', heading);
      expect(commands).not.toBe('');
      const { output } = await aws.play(commands);
      expect(output).not.toMatch(/error occurred|Unknown options|usage:/);
      if (commands.includes('errors ListTestimonials')) expect(output).toContain('Request failed');
      if (commands.includes('mapping ')) expect(output).toMatch(/Disabled|Enabled/);
    },
  );

  test('“Events undelivered” sends the events again and empties the queue', async () => {
    const again = JSON.parse(await readFile(join(aws.folder, 'again.json'), 'utf8'));
    expect(again).toContainEqual({
      ...{ EventBusName: idOf('Events::EventBus', 'EventsBus'), Source: 'testimonials' },
      ...{ DetailType: 'testimonial.created', Detail: '{"identity":"a"}' },
    });
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

    const [, disable = '', stop = '', goBack = ''] = commandsOf(chapterOf('Alarms').split('\n### ')[0] ?? '');
    await aws.play(`${disable}\n${stop}\n${goBack}`);
    expect(aws.requests.map(({ call }) => call)).toContain('StopDeployment');
    expect(aws.requests.findLast(({ call }) => call === 'UpdateDeploymentGroup')?.body).toEqual({
      applicationName: idOf('CodeDeploy::Application', 'Rollout'),
      currentDeploymentGroupName: idOf('CodeDeploy::DeploymentGroup', 'RolloutListTestimonials'),
      alarmConfiguration: { enabled: false, alarms: [{ name: 'ApiErrors' }] },
    });
    const query = ['--query', 'FunctionVersion', '--output', 'text'];
    expect(await aws.cli('lambda', 'get-alias', ...fn, '--name', 'live', ...query)).toBe('1');
  });

  test('a poisoned record: its testimonial is erased, and the index is repaired', async () => {
    const [stored] = (await Array.fromAsync(operatorOf(table).testimonials.from('acme', 0))).flat();
    const id = String(stored?.testimonial.id);
    const Key = testimonialKey('acme', ordinalOf(id));
    const change = { UpdateExpression: 'SET rating = :text', ExpressionAttributeValues: { ':text': 'five' } };
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
    await eraseTestimonial(operatorOf(table), 'acme', before.body.id);
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
    const { testimonials, tokens: left } = operatorOf(restored);
    const all = (await Array.fromAsync(testimonials.from('acme', 0))).flat();
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
