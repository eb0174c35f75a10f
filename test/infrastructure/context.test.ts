import { describe, expect, test } from '@jest/globals';
import { App } from 'aws-cdk-lib';
import { contextOf, contextValues } from '../../lib/infrastructure/context.ts';

const read = (context: Record<string, unknown> = {}) => contextOf(new App({ context }).node);

describe('the context of a deployment', () => {
  test('has defaults', () => {
    expect(read()).toEqual({ stage: 'dev', corsOrigins: [], organizationBudget: 0.5 });
  });

  test('takes texts, as cdk passes them, and numbers, as cdk.json has them', () => {
    const certificateArn = 'arn:aws:acm:eu-central-1:123456789012:certificate/ab-12';
    const given = {
      stage: 'prod',
      corsOrigins: 'https://a.example, https://b.example',
      alarmEmail: 'ops@example.com',
      organizationBudget: '0',
      monthlyBudget: 20,
      domainName: 'api.example.com',
      certificateArn,
      warmThroughput: '30000,8000',
      maxReadRequestUnits: '4000',
      maxWriteRequestUnits: 4000,
      reservedConcurrency: '50',
      logRetentionDays: '30',
    };
    expect(read(given)).toEqual({
      ...given,
      corsOrigins: ['https://a.example', 'https://b.example'],
      organizationBudget: 0,
      warmThroughput: { reads: 30_000, writes: 8000 },
      maxReadRequestUnits: 4000,
      reservedConcurrency: 50,
      logRetentionDays: 30,
    });
    expect(Object.keys(given)).toEqual(Object.keys(contextValues));
  });

  test.each([
    [{ stage: 'Prod!' }, '"stage" must be 1 to 20 of a-z'],
    [{ corsOrigins: 'www.example.com' }, '"corsOrigins" must be origins like'],
    [{ corsOrigins: 'https://www.example.com/path' }, 'not "https://www.example.com/path"'],
    [{ alarmEmail: 'ops' }, '"alarmEmail" must be an e-mail address, not "ops"'],
    [{ organizationBudget: '-1' }, '"organizationBudget" must be an amount in US dollars'],
    [{ organizationBudget: '' }, '"organizationBudget" must be an amount in US dollars'],
    [{ monthlyBudget: 'much', alarmEmail: 'ops@example.com' }, '"monthlyBudget" must be an amount'],
    [{ monthlyBudget: '20' }, '"monthlyBudget" needs "alarmEmail"'],
    [{ domainName: 'https://api.example.com' }, '"domainName" must be a domain name'],
    [{ domainName: 'api.example.com' }, '"domainName" and "certificateArn" must be given together'],
    [{ warmThroughput: '30000' }, '"warmThroughput" must be read and write units'],
    [{ warmThroughput: '1,1' }, '"warmThroughput" must be 12000,4000 or more'],
    [{ maxReadRequestUnits: '0' }, '"maxReadRequestUnits" must be a whole number from 1'],
    [{ reservedConcurrency: '1.5' }, '"reservedConcurrency" must be a whole number from 1'],
    [{ logRetentionDays: '8' }, '"logRetentionDays" must be one of 1, 3, 5'],
    [{ alarmMail: 'ops@example.com' }, '"alarmMail" is none; there are stage, corsOrigins, alarmEmail'],
  ])('refuses %j', (context, problem) => {
    expect(() => read(context)).toThrow(problem);
  });

  test('names all that is wrong at once, and leaves to the CDK what is its own', () => {
    expect(() => read({ stage: '!', alarmEmail: 'ops', '@aws-cdk/core:x': true, 'aws:y': 1 })).toThrow(
      /^Context values are not valid: "stage" .*; "alarmEmail" [^;]*$/,
    );
  });
});
