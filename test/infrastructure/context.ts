import { describe, expect, test } from '@jest/globals';
import { App } from 'aws-cdk-lib';
import { contextValues, readContext, stageOf } from '../../lib/infrastructure/context.ts';
import { declared } from './synthesized.ts';

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
    const certificateArn = 'arn:aws:acm:eu-central-1:123456789012:certificate/ab-12';
    const globalCertificate = 'arn:aws:acm:us-east-1:123456789012:certificate/cd-34';
    const origin = 'd-abc123.execute-api.eu-central-1.amazonaws.com';
    const tableStreamArn =
      'arn:aws:dynamodb:eu-central-1:123456789012:table/restored/stream/2026-11-22T03:11:02.622';
    /** Each value before and after it is read. */
    const values: Record<string, [unknown, unknown]> = {
      stage: ['prod', 'prod'],
      protect: ['true', true],
      corsOrigins: ['https://a.example, https://b.example', ['https://a.example', 'https://b.example']],
      alarmEmail: ['ops@example.com', 'ops@example.com'],
      stageRate: ['2000', 2000],
      organizationBudget: ['0', 0],
      organizationDailyBudget: ['2.5', 2.5],
      organizationRate: ['12.5', 12.5],
      monthlyBudget: [20, 20],
      leastRequestsAnHour: ['10', 10],
      domainName: ['api.example.com', 'api.example.com'],
      certificateArn: [certificateArn, certificateArn],
      closeDefaultEndpoint: ['true', true],
      truststoreUri: ['s3://a-bucket/folder/truststore.pem', 's3://a-bucket/folder/truststore.pem'],
      truststoreVersion: ['L4kqtJlcpXroDTDmpUMLUo', 'L4kqtJlcpXroDTDmpUMLUo'],
      truststoreExpires: ['2028-11-30', '2028-11-30'],
      frontDoorOrigin: [origin, origin],
      frontDoorCertificateArn: [globalCertificate, globalCertificate],
      frontDoorClientCertificateArn: [globalCertificate, globalCertificate],
      warmThroughput: ['30000,8000', { reads: 30_000, writes: 8000 }],
      maxReadRequestUnits: ['4000', 4000],
      maxWriteRequestUnits: [4000, 4000],
      reservedConcurrency: ['50', 50],
      logRetentionDays: ['30', 30],
      moderation: [true, true],
      desk: ['true', true],
      pages: ['true', true],
      media: ['true', true],
      events: ['true', true],
      newTestimonialEmail: ['moderators@example.com', 'moderators@example.com'],
      webhookUrl: ['HTTPS://www.example.com/hook', 'HTTPS://www.example.com/hook'],
      backupRegion: ['ap-southeast-2', 'ap-southeast-2'],
      recoveredTable: [tableStreamArn, tableStreamArn],
    };
    const each = (i: 0 | 1) =>
      Object.fromEntries(Object.entries(values).map(([name, pair]) => [name, pair[i]]));
    expect(read(each(0))).toEqual(each(1));
    expect(Object.keys(values)).toEqual(Object.keys(contextValues));
  });

  test('name a recovered table by its stream', () => {
    const recoveredTable =
      'arn:aws:dynamodb:eu-central-1:123456789012:table/restored/stream/2026-11-22T03:11:02.622';
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
    expect(retention({ logRetentionDays: 365 })).toEqual([365, 365]);
  });

  test.each([
    [{ stage: 'Prod!' }, '"stage" must be 1 to 20 of a-z'],
    [{ corsOrigins: 'www.example.com' }, '"corsOrigins" must be origins like'],
    [{ corsOrigins: 'https://www.example.com/path' }, 'not "https://www.example.com/path"'],
    [{ alarmEmail: 'ops' }, '"alarmEmail" must be an e-mail address, not "ops"'],
    [{ organizationBudget: '-1' }, '"organizationBudget" must be an amount in US dollars'],
    [{ stageRate: '0' }, '"stageRate" must be a whole number from 1'],
    [{ organizationRate: '-1' }, '"organizationRate" must be requests a second'],
    [{ organizationBudget: '' }, '"organizationBudget" must be an amount in US dollars'],
    [{ organizationDailyBudget: '-1' }, '"organizationDailyBudget" must be an amount in US dollars'],
    [{ monthlyBudget: 'much', alarmEmail: 'ops@example.com' }, '"monthlyBudget" must be an amount'],
    [{ monthlyBudget: '20' }, '"monthlyBudget" needs "alarmEmail": the address that receives the warning'],
    [{ domainName: 'https://api.example.com' }, '"domainName" must be a domain name'],
    [{ domainName: 'api.example.com' }, '"domainName" needs "certificateArn"'],
    [
      { certificateArn: 'arn:aws:acm:eu-1:123456789012:certificate/a' },
      '"certificateArn" needs "domainName"',
    ],
    [{ closeDefaultEndpoint: true }, '"closeDefaultEndpoint" needs "domainName"'],
    [{ truststoreUri: 'a-bucket/a.pem' }, '"truststoreUri" must be a file in S3'],
    [{ truststoreUri: 's3://a-bucket/a.pem' }, '"truststoreUri" needs "closeDefaultEndpoint"'],
    [{ truststoreVersion: 'v1' }, '"truststoreVersion" needs "truststoreUri"'],
    [{ truststoreVersion: 'a b' }, '"truststoreVersion" must be the version of a file in S3'],
    [{ truststoreExpires: '2028-11-30' }, '"truststoreExpires" needs "truststoreUri"'],
    [{ truststoreExpires: '30.11.2028' }, '"truststoreExpires" must be a date like 2027-11-30'],
    [{ truststoreExpires: '2028-13-30' }, '"truststoreExpires" must be a date like 2027-11-30'],
    [
      { frontDoorOrigin: 'd-1.example.com' },
      '"frontDoorOrigin" needs "domainName"\n  "frontDoorOrigin" needs "frontDoorC',
    ],
    [{ frontDoorOrigin: 'https://d-1.example.com' }, '"frontDoorOrigin" must be a domain name'],
    [{ backupRegion: 'Ireland' }, '"backupRegion" must be a region'],
    [{ backupRegion: 'eu-west-1' }, '"backupRegion" needs "events"'],
    [{ backupRegion: 'eu-west-1', events: true }, '"backupRegion" needs a protected stage'],
    [
      { stage: 'prod', protect: false, backupRegion: 'eu-west-1', events: true },
      '"backupRegion" needs a protected stage',
    ],
    [{ leastRequestsAnHour: 0 }, '"leastRequestsAnHour" must be a whole number from 1'],
    [{ warmThroughput: '30000' }, '"warmThroughput" must be read and write units'],
    [{ warmThroughput: '1,1' }, '"warmThroughput" must be 12000,4000 or more'],
    [{ maxReadRequestUnits: '0' }, '"maxReadRequestUnits" must be a whole number from 1'],
    [{ reservedConcurrency: '1.5' }, '"reservedConcurrency" must be a whole number from 1'],
    [{ logRetentionDays: '8' }, '"logRetentionDays" must be one of 1, 3, 5'],
    [{ events: 'yes' }, '"events" must be true or false, not "yes"'],
    [{ newTestimonialEmail: 'moderators@example.com' }, '"newTestimonialEmail" needs "events"'],
    [{ webhookUrl: 'https://www.example.com' }, '"webhookUrl" needs "events"'],
    [{ events: true, webhookUrl: 'http://www.example.com' }, '"webhookUrl" must be a URL like https'],
    [{ recoveredTable: 'restored' }, '"recoveredTable" must be the ARN of a table’s stream'],
    [
      { recoveredTable: 'prod=arn:aws:dynamodb:eu-1:123456789012:table/restored/stream/2026' },
      '"recoveredTable" must be the ARN of a table’s stream',
    ],
    [
      { recoveredTable: 'arn:aws:dynamodb:eu-1:123456789012:table/restored' },
      '"recoveredTable" must be the ARN of a table’s stream',
    ],
    [
      { recoveredTable: 'arn:aws:dynamodb:eu-1:123456789012:table/a/stream/2026' },
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
    [{ truststoreExpires: 2027 }, '"truststoreExpires" must be a date like 2027-11-30, not 2027'],
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
