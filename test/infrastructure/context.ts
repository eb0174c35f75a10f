import { describe, expect, test } from '@jest/globals';
import { App } from 'aws-cdk-lib';
import { contextValues, readContext, stageOf } from '../../lib/infrastructure/context.ts';

const read = (context: Record<string, unknown> = {}) => readContext(new App({ context }).node);

describe('the context of a deployment', () => {
  test('has defaults', () => {
    expect(read()).toEqual({
      ...{ stage: 'dev', corsOrigins: [], stageRate: 5000 },
      ...{ organizationBudget: 0.5, organizationDailyBudget: 10 },
      ...{ moderation: false, desk: false, pages: false, events: false },
    });
  });

  test('accepts texts from cdk and numbers from cdk.json', () => {
    const certificateArn = 'arn:aws:acm:eu-central-1:123456789012:certificate/ab-12';
    const tableStreamArn =
      'arn:aws:dynamodb:eu-central-1:123456789012:table/restored/stream/2026-11-22T03:11:02.622';
    /** Each value before and after it is read. */
    const values: Record<string, [unknown, unknown]> = {
      stage: ['prod', 'prod'],
      protect: ['false', false],
      corsOrigins: ['https://a.example, https://b.example', ['https://a.example', 'https://b.example']],
      alarmEmail: ['ops@example.com', 'ops@example.com'],
      stageRate: ['2000', 2000],
      organizationBudget: ['0', 0],
      organizationDailyBudget: ['2.5', 2.5],
      organizationRate: ['12.5', 12.5],
      monthlyBudget: [20, 20],
      domainName: ['api.example.com', 'api.example.com'],
      certificateArn: [certificateArn, certificateArn],
      warmThroughput: ['30000,8000', { reads: 30_000, writes: 8000 }],
      maxReadRequestUnits: ['4000', 4000],
      maxWriteRequestUnits: [4000, 4000],
      reservedConcurrency: ['50', 50],
      logRetentionDays: ['30', 30],
      moderation: [true, true],
      desk: ['true', true],
      pages: ['true', true],
      events: ['true', true],
      newTestimonialEmail: ['moderators@example.com', 'moderators@example.com'],
      webhookUrl: ['HTTPS://www.example.com/hook', 'HTTPS://www.example.com/hook'],
      recoveredTable: [`prod=${tableStreamArn}`, { stage: 'prod', tableName: 'restored', tableStreamArn }],
    };
    const each = (i: 0 | 1) =>
      Object.fromEntries(Object.entries(values).map(([name, pair]) => [name, pair[i]]));
    expect(read(each(0))).toEqual(each(1));
    expect(Object.keys(values)).toEqual(Object.keys(contextValues));
  });

  test('decides how long logs are kept, for erasures longer than the 35 days of backups', () => {
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
    [{ monthlyBudget: '20' }, '"monthlyBudget" needs "alarmEmail"'],
    [{ domainName: 'https://api.example.com' }, '"domainName" must be a domain name'],
    [{ domainName: 'api.example.com' }, '"domainName" and "certificateArn" must be given together'],
    [{ warmThroughput: '30000' }, '"warmThroughput" must be read and write units'],
    [{ warmThroughput: '1,1' }, '"warmThroughput" must be 12000,4000 or more'],
    [{ maxReadRequestUnits: '0' }, '"maxReadRequestUnits" must be a whole number from 1'],
    [{ reservedConcurrency: '1.5' }, '"reservedConcurrency" must be a whole number from 1'],
    [{ logRetentionDays: '8' }, '"logRetentionDays" must be one of 1, 3, 5'],
    [{ events: 'yes' }, '"events" must be true or false, not "yes"'],
    [{ newTestimonialEmail: 'moderators@example.com' }, '"newTestimonialEmail" needs "events"'],
    [{ webhookUrl: 'https://www.example.com' }, '"webhookUrl" needs "events"'],
    [{ events: true, webhookUrl: 'http://www.example.com' }, '"webhookUrl" must be a URL like https'],
    [{ recoveredTable: 'prod=restored' }, '"recoveredTable" must be a stage and the ARN of a table’s stream'],
    [
      { recoveredTable: 'arn:aws:dynamodb:eu-1:123456789012:table/a/stream/2026' },
      '"recoveredTable" must be',
    ],
    [
      { recoveredTable: 'prod=arn:aws:dynamodb:eu-1:123456789012:table/a' },
      '"recoveredTable" must be a stage',
    ],
    [
      { recoveredTable: 'prod=arn:aws:dynamodb:eu-1:123456789012:table/a/stream/2026' },
      '"recoveredTable" must be a stage',
    ],
    [
      { alarmMail: 'ops@example.com' },
      '"alarmMail" is unknown; use one of stage, protect, corsOrigins, alarmEmail',
    ],
  ])('rejects %j', (context, problem) => {
    expect(() => read(context)).toThrow(problem);
  });

  test('reports all problems at once, and ignores values of the CDK', () => {
    const context = { stage: '!', alarmEmail: 'ops', warmThroughput: '5,5', monthlyBudget: 20 };
    expect(() => read({ ...context, domainName: '!', '@aws-cdk/core:x': true, 'aws:y': 1 })).toThrow(
      /^Context values are not valid: "stage" [^;]*; "alarmEmail" [^;]*; "domainName" [^;]*; "warmThroughput" [^;]*; "domainName" and [^;]*$/,
    );
    expect(() => read({ stage: '!', monthlyBudget: 20, webhookUrl: 'https://www.example.com' })).toThrow(
      /"stage" [^;]*; "monthlyBudget" needs [^;]*; "webhookUrl" needs [^;]*$/,
    );
  });
});
