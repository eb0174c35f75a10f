/** Backups with a copy in another region, and the erasures that a restored copy has to repeat. */
import { describe, expect, test } from '@jest/globals';
import { eventDetails, eventSource } from '../../functions/publish-events/event.ts';
import { chapterOf } from '../operations-page.ts';
import { everything, otherTemplate, recoveredTable, synthesizeWith } from './synthesized.ts';

const stage = { stage: 'prod', ...everything };
const { one, all, template } = synthesizeWith(stage);
const copy = otherTemplate(stage, 'backup-copy');
const copied = (type: string) => Object.values(copy.findResources(`AWS::${type}`))[0];

/** Returns the texts of an ARN that CloudFormation joins, with an account and a partition. */
const arnOf = ({
  'Fn::Join': [separator, parts],
}: {
  'Fn::Join': [string, (string | { Ref: string })[]];
}) => {
  const values: Record<string, string> = { 'AWS::Partition': 'aws', 'AWS::AccountId': '123456789012' };
  return parts
    .map((part) => (typeof part === 'string' ? part : (values[part.Ref] ?? `\${${part.Ref}}`)))
    .join(separator);
};

describe('a daily backup', () => {
  test('is of the table, and copied to the vault in the other region', () => {
    const { BackupPlanRule: rules } = one('Backup::BackupPlan').Properties.BackupPlan;
    expect(rules).toEqual([
      expect.objectContaining({
        TargetBackupVault: { 'Fn::GetAtt': [one('Backup::BackupVault').id, 'BackupVaultName'] },
        ScheduleExpression: 'cron(0 3 * * ? *)',
      }),
    ]);
    const { Resources } = one('Backup::BackupSelection').Properties.BackupSelection;
    expect(Resources).toEqual([{ 'Fn::GetAtt': [one('DynamoDB::GlobalTable').id, 'Arn'] }]);
    const name = copied('Backup::BackupVault')?.Properties.BackupVaultName;
    expect(arnOf(rules[0].CopyActions[0].DestinationBackupVaultArn)).toBe(
      `arn:aws:backup:eu-west-1:123456789012:backup-vault:${name}`,
    );
  });

  test('is kept for as long as the log of erasures at most', () => {
    const [rule] = one('Backup::BackupPlan').Properties.BackupPlan.BackupPlanRule;
    const days = [rule, ...rule.CopyActions].map(({ Lifecycle }) => Lifecycle.DeleteAfterDays);
    expect(days).toEqual([35, 35]);
    const { RetentionInDays } = copied('Logs::LogGroup')?.Properties ?? {};
    expect(RetentionInDays).toBeGreaterThan(Math.max(...days));
    const short = otherTemplate({ ...stage, logRetentionDays: 1 }, 'backup-copy');
    short.hasResourceProperties('AWS::Logs::LogGroup', { RetentionInDays: 60 });
  });

  test('outlives its stage, and so does the log of erasures', () => {
    const kept = { DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' };
    expect(one('Backup::BackupVault')).toMatchObject(kept);
    for (const type of ['Backup::BackupVault', 'Logs::LogGroup'])
      expect(Object.values(copy.findResources(`AWS::${type}`))).toEqual([expect.objectContaining(kept)]);
  });

  test('can be restored with the role that the page finds by its name', () => {
    const { IamRoleArn } = one('Backup::BackupSelection').Properties.BackupSelection;
    const [role] = IamRoleArn['Fn::GetAtt'];
    expect(JSON.stringify(one('IAM::Role', role).Properties.ManagedPolicyArns)).toMatch(
      /AWSBackupServiceRolePolicyForBackup.*AWSBackupServiceRolePolicyForRestores/,
    );
    // The name of a role begins with the names of its stack and of the resource.
    const [, named] = /contains\(RoleName, `([^`]*)`\)/.exec(chapterOf('A region is lost')) ?? [];
    expect(`testimonials-prod-${role}`).toMatch(new RegExp(`^${named}\\w{8}$`));
  });

  test('uses the table that replaced the own one', () => {
    const adopted = synthesizeWith({ ...stage, recoveredTable });
    const { Resources } = adopted.one('Backup::BackupSelection').Properties.BackupSelection;
    expect(JSON.stringify(Resources)).toContain('table/restored');
  });

  test('belongs to a stage that asks for it', () => {
    expect(synthesizeWith({ stage: 'prod' }).all('Backup::BackupVault')).toEqual([]);
  });
});

describe('an erasure', () => {
  const rule = one('Events::Rule', 'BackupsErasures');

  test('reaches the bus in the other region, which logs it', () => {
    expect(Object.keys(eventDetails)).toContain('testimonial.erased');
    expect(rule.Properties).toMatchObject({
      EventBusName: { Ref: one('Events::EventBus').id },
      EventPattern: { source: [eventSource], 'detail-type': ['testimonial.erased'] },
    });
    const [{ Arn, RoleArn, DeadLetterConfig }] = rule.Properties.Targets;
    const name = copied('Events::EventBus')?.Properties.Name;
    expect(arnOf(Arn)).toBe(`arn:aws:events:eu-west-1:123456789012:event-bus/${name}`);
    const [role] = RoleArn['Fn::GetAtt'];
    const policies = all('IAM::Policy').filter(({ Properties }) => Properties.Roles[0].Ref === role);
    expect(policies.map(({ Properties }) => Properties.PolicyDocument.Statement)).toEqual([
      [{ Effect: 'Allow', Action: 'events:PutEvents', Resource: Arn }],
    ]);
    expect(DeadLetterConfig.Arn['Fn::GetAtt'][0]).toMatch(/^EventsUndelivered/);
    const [bus, log] = ['Events::EventBus', 'Logs::LogGroup'].map(
      (type) => Object.keys(copy.findResources(`AWS::${type}`))[0],
    );
    const there = copied('Events::Rule')?.Properties;
    expect(there).toMatchObject({ EventBusName: { Ref: bus }, EventPattern: { source: [eventSource] } });
    expect(arnOf(there?.Targets[0].Arn)).toBe(`arn:aws:logs:eu-west-1:123456789012:log-group:\${${log}}`);
    expect(copied('Logs::LogGroup')?.Properties.LogGroupName).toBe('/aws/events/testimonials-prod-copy');
    // Stages of an account share the names of policies.
    const { PolicyName, PolicyDocument } = copied('Logs::ResourcePolicy')?.Properties ?? {};
    expect(PolicyName).toBe('testimonials-prod-copy');
    const [before, { 'Fn::GetAtt': resource }, after] = PolicyDocument['Fn::Join'][1];
    expect(resource).toEqual([log, 'Arn']);
    expect(JSON.parse(`${before}log${after}`).Statement).toEqual([
      {
        Effect: 'Allow',
        Principal: { Service: ['events.amazonaws.com', 'delivery.logs.amazonaws.com'] },
        Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        Resource: 'log',
      },
    ]);
  });

  test('is logged without a function in the other region', () => {
    expect(copy.findResources('AWS::Lambda::Function')).toEqual({});
  });

  test('that cannot be sent goes to the queue of undelivered events, which has an alarm', () => {
    const statements = all('SQS::QueuePolicy', 'EventsUndelivered').flatMap(
      ({ Properties }) => Properties.PolicyDocument.Statement,
    );
    expect(statements).toContainEqual(
      expect.objectContaining({
        Principal: { Service: 'events.amazonaws.com' },
        Condition: { ArnEquals: { 'aws:SourceArn': { 'Fn::GetAtt': [rule.id, 'Arn'] } } },
      }),
    );
    expect(all('CloudWatch::Alarm', 'AlarmsEventsUndelivered')).toHaveLength(1);
    template.hasOutput('EventBusName', {});
  });
});
