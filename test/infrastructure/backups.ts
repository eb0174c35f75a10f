/** Backups with a copy in another region, and the erasures that a restored copy has to repeat. */
import { describe, expect, test } from '@jest/globals';
import { eventDetails, eventSource } from '../../functions/publish-events/event.ts';
import { everything, otherTemplate, synthesizeWith } from './synthesized.ts';

const stage = { stage: 'prod', ...everything };
const { one, all, template } = synthesizeWith(stage);
const copy = otherTemplate(stage, 'backup-copy');
const copied = (type: string) => Object.values(copy.findResources(`AWS::${type}`))[0];

/** Returns a value as text, with the name of the service's stack. */
const textOf = (value: unknown) =>
  JSON.stringify(value)
    .replaceAll(/\$\{AWS::StackName\}/g, 'testimonials-prod')
    .replaceAll('"', '');

describe('a daily backup', () => {
  test('is of the table, and copied to the vault in the other region', () => {
    const { BackupPlanRule: rules } = one('Backup::BackupPlan').Properties.BackupPlan;
    expect(rules).toEqual([
      expect.objectContaining({
        TargetBackupVault: { Ref: one('Backup::BackupVault').id },
        ScheduleExpression: 'cron(0 3 * * ? *)',
      }),
    ]);
    const { Resources } = one('Backup::BackupSelection').Properties.BackupSelection;
    expect(Resources).toEqual([{ 'Fn::GetAtt': [one('DynamoDB::GlobalTable').id, 'Arn'] }]);
    const name = copied('Backup::BackupVault')?.Properties.BackupVaultName;
    expect(textOf(rules[0].CopyActions[0].DestinationBackupVaultArn)).toContain(`:eu-west-1:`);
    expect(textOf(rules[0].CopyActions[0].DestinationBackupVaultArn)).toMatch(`:backup-vault:${name}}`);
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

  test('uses the table that replaced the own one', () => {
    const arn = 'arn:aws:dynamodb:eu-central-1:123456789012:table/restored/stream/2026-11-22T03:11:02.622';
    const adopted = synthesizeWith({ ...stage, recoveredTable: arn });
    const { Resources } = adopted.one('Backup::BackupSelection').Properties.BackupSelection;
    expect(JSON.stringify(Resources)).toContain('table/restored');
  });

  test('belongs to a stage that asks for it', () => {
    expect(synthesizeWith({ stage: 'prod' }).all('Backup::BackupVault')).toEqual([]);
  });
});

describe('an erasure', () => {
  const rule = all('Events::Rule').find(({ id }) => id === 'Erasures');

  test('reaches the bus in the other region, which logs it', () => {
    expect(Object.keys(eventDetails)).toContain('testimonial.erased');
    expect(rule?.Properties).toMatchObject({
      EventBusName: { Ref: one('Events::EventBus').id },
      EventPattern: { source: [eventSource], 'detail-type': ['testimonial.erased'] },
    });
    const [{ Arn, RoleArn, DeadLetterConfig }] = rule?.Properties.Targets ?? [];
    const name = copied('Events::EventBus')?.Properties.Name;
    expect(textOf(Arn)).toMatch(new RegExp(`:events:eu-west-1:.*:event-bus/${name}}$`));
    const { Policies } = one('IAM::Role', RoleArn['Fn::GetAtt'][0]).Properties;
    expect(Policies[0].PolicyDocument.Statement).toEqual([
      { Effect: 'Allow', Action: 'events:PutEvents', Resource: Arn },
    ]);
    expect(DeadLetterConfig.Arn['Fn::GetAtt'][0]).toMatch(/^EventsUndelivered/);
    const log = copied('Logs::LogGroup')?.Properties.LogGroupName;
    const there = copied('Events::Rule')?.Properties;
    expect(there).toMatchObject({ EventBusName: { Ref: 'Bus' }, EventPattern: { source: [eventSource] } });
    expect(JSON.stringify(there?.Targets)).toMatch(/log-group:\$\{Erasures\}/);
    expect(log).toBe('/aws/events/testimonials-prod-copy');
    expect(JSON.stringify(copied('Logs::ResourcePolicy'))).toContain('events.amazonaws.com');
  });

  test('that cannot be sent goes to the queue of undelivered events, which has an alarm', () => {
    const statements = all('SQS::QueuePolicy', 'EventsUndelivered').flatMap(
      ({ Properties }) => Properties.PolicyDocument.Statement,
    );
    expect(statements).toContainEqual(
      expect.objectContaining({
        Principal: { Service: 'events.amazonaws.com' },
        Condition: { ArnEquals: { 'aws:SourceArn': { 'Fn::GetAtt': ['Erasures', 'Arn'] } } },
      }),
    );
    expect(all('CloudWatch::Alarm', 'AlarmsEventsUndelivered')).toHaveLength(1);
    template.hasOutput('EventBusName', {});
  });
});
