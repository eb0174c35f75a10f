import { describe, expect, test } from '@jest/globals';
import { App } from 'aws-cdk-lib';
import { readContext, stageOf } from '../../lib/infrastructure/context.ts';
import { declared, dependentsOf, everything, recoveredTable } from './synthesized.ts';

/** Reads the values of a stage that declares them. */
const read = ({ stage = 'dev', ...values }: Record<string, unknown> = {}) =>
  readContext(new App({ context: { stage } }).node, () => declared(values)).context;

describe('the values of a stage', () => {
  test('have defaults', () => {
    expect(read()).toEqual({
      stage: 'dev',
      corsOrigins: [],
      stageRate: 5000,
      organizationBudget: 0.5,
      organizationDailyBudget: 10,
      moderation: false,
      desk: false,
      pages: false,
      media: false,
      events: false,
      closeDefaultEndpoint: false,
    });
  });

  test('are texts from cdk, or numbers and truth values', () => {
    const values = { ...everything, webhookUrl: 'HTTPS://www.example.com/hook', recoveredTable };
    const texts = Object.entries(values).map(([name, value]) => [name, String(value)]);
    const expected = {
      ...read(),
      ...values,
      stage: 'prod',
      corsOrigins: ['https://www.example.com'],
      warmThroughput: { reads: 30_000, writes: 8000 },
    };
    expect(read({ stage: 'prod', ...values })).toEqual(expected);
    expect(read({ stage: 'prod', ...Object.fromEntries(texts) })).toEqual(expected);
  });

  test('protect a stage unless it is dev or declares that it is not protected', () => {
    const isProtected = (values: Record<string, unknown>) => stageOf(read(values)).isProtected;
    expect(isProtected({ stage: 'prod-eu' })).toBe(true);
    expect(isProtected({})).toBe(false);
    expect(isProtected({ protect: true })).toBe(true);
    expect(isProtected({ stage: 'prod', protect: false })).toBe(false);
  });

  test('name a recovered table by its stream', () => {
    const stage = stageOf(read({ stage: 'prod', recoveredTable }));
    expect(stage.recoveredTable).toEqual({ tableName: 'restored', tableStreamArn: recoveredTable });
    expect(stageOf(read({ stage: 'prod' })).recoveredTable).toBeUndefined();
  });

  test('decide how long logs are kept, for erasures longer than the 35 days of backups', () => {
    const retention = (context: Record<string, unknown>) => {
      const { logRetention, erasureLogRetention } = stageOf(read(context));
      return [logRetention, erasureLogRetention];
    };
    expect(retention({})).toEqual([7, 60]);
    expect(retention({ stage: 'prod' })).toEqual([90, 90]);
    expect(retention({ stage: 'prod', logRetentionDays: 1 })).toEqual([1, 60]);
  });

  test.each(Object.entries(dependentsOf).flatMap(([needed, names]) => names.map((name) => [name, needed])))(
    '%s needs %s',
    (name, needed = '') => {
      const { [needed]: _, ...others } = everything;
      expect(() => read({ stage: 'prod', ...others })).toThrow(`"${name}" needs "${needed}"`);
    },
  );

  test.each([
    [{ stage: 'Prod!' }, '"stage" must be 1 to 20 of a-z'],
    [{ corsOrigins: 'www.example.com' }, '"corsOrigins" must be origins like'],
    [{ corsOrigins: 'https://www.example.com/path' }, 'not "https://www.example.com/path"'],
    [{ alarmEmail: 'ops' }, '"alarmEmail" must be an e-mail address, not "ops"'],
    [{ organizationBudget: '-1' }, '"organizationBudget" must be an amount in US dollars'],
    [{ organizationBudget: '' }, '"organizationBudget" must be an amount in US dollars'],
    [{ organizationRate: '-1' }, '"organizationRate" must be a number of requests per second'],
    [{ stageRate: '0' }, '"stageRate" must be a whole number from 1'],
    [{ reservedConcurrency: '1.5' }, '"reservedConcurrency" must be a whole number from 1'],
    [{ monthlyBudget: '20' }, '"monthlyBudget" needs "alarmEmail": the address that receives the warning'],
    [{ domainName: 'https://api.example.com' }, '"domainName" must be a domain name'],
    [{ truststoreUri: 'a-bucket/a.pem' }, '"truststoreUri" must be a file in S3'],
    [{ truststoreVersion: 'a b' }, '"truststoreVersion" must be the version of a file in S3'],
    [{ truststoreExpires: '2028-13-30' }, '"truststoreExpires" must be a date like 2027-11-30'],
    [{ backupRegion: 'Ireland' }, '"backupRegion" must be a region'],
    [{ backupRegion: 'eu-west-1', events: true }, '"backupRegion" needs a protected stage'],
    [{ warmThroughput: '30000' }, '"warmThroughput" must be read and write units'],
    [{ warmThroughput: '1,1' }, '"warmThroughput" must be 12000,4000 or more'],
    [{ logRetentionDays: '8' }, '"logRetentionDays" must be one of 1, 3, 5'],
    [{ events: 'yes' }, '"events" must be true or false, not "yes"'],
    [{ events: true, webhookUrl: 'http://www.example.com' }, '"webhookUrl" must be a URL like https'],
    [{ recoveredTable: `prod=${recoveredTable}` }, '"recoveredTable" must be the ARN of a table’s stream'],
    [
      { recoveredTable: recoveredTable.replace(/\/stream.*/, '') },
      '"recoveredTable" must be the ARN of a table’s stream',
    ],
    [
      { alarmMail: 'ops@example.com' },
      /\n {2}"alarmMail" is unknown; use one of stage, protect, corsOrigins, alarmEmail, [\w, ]*recoveredTable$/,
    ],
    [
      { alarmMail: 'ops@example.com', webhook: 'x' },
      /\n {2}"alarmMail", "webhook" are unknown; use one of [\w, ]*$/,
    ],
    [
      { corsOrigins: ['https://www.example.com'] },
      '"corsOrigins" must be origins like https://www.example.com, separated by commas, not ["https://www.example.com"]',
    ],
    [{ domainName: 5 }, '"domainName" must be a domain name like api.example.com, not 5'],
  ])('rejects %j', (context, problem) => {
    expect(() => read(context)).toThrow(problem);
  });

  test('report all problems at once, and ignore values of the CDK', () => {
    const values = { alarmEmail: 'ops', domainName: '!', warmThroughput: '5,5', monthlyBudget: 20 };
    const context = { stage: 'prod', '@aws-cdk/core:x': true, 'aws:y': 1 };
    const all = () => readContext(new App({ context }).node, () => declared(values));
    expect(all).toThrow(
      /^The values of stage prod are not valid:\n {2}"alarmEmail" .*\n {2}"domainName" .*\n {2}"warmThroughput" .*\n {2}"domainName" needs .*$/,
    );
    expect(() => read({ stage: '!', monthlyBudget: 20, webhookUrl: 'https://www.example.com' })).toThrow(
      /"stage" must be .*$/,
    );
  });
});
