/**
 * Alarms about what no function logs: the gateway's throttle, certificates, the truststore, backups and the
 * front door.
 */
import { describe, expect, test } from '@jest/globals';
import { isRaised, type MathAlarm, type MathPart } from './metric-math.ts';
import { everything, otherTemplate, synthesizeWith } from './synthesized.ts';

const complete = synthesizeWith({ stage: 'prod', ...everything });
const alarmOf = (name: string): MathAlarm => complete.one('CloudWatch::Alarm', `Alarms${name}`).Properties;
const frontDoor = otherTemplate({ stage: 'prod', ...everything }, 'front-door');
const [doorErrors, doorCertificates] = ['FrontDoorErrors', 'CertificateExpires'].map(
  (name) =>
    Object.entries(frontDoor.findResources('AWS::CloudWatch::Alarm')).find(([id]) =>
      id.startsWith(`Alarms${name}`),
    )?.[1].Properties,
) as [MathAlarm, MathAlarm]; // as many as above

const day = 24 * 60 * 60;
const periodsOf = ({ Metrics: [, ...parts], EvaluationPeriods, DatapointsToAlarm }: MathAlarm) => [
  ...new Set(parts.map(({ MetricStat }) => MetricStat.Period)),
  EvaluationPeriods,
  DatapointsToAlarm,
];

test('requests that the gateway refuses are counted in its log, of which no function knows', () => {
  const { FilterPattern, LogGroupName, MetricTransformations } = complete.one(
    'Logs::MetricFilter',
    'ApiHttpApiRequestsThrottled',
  ).Properties;
  expect(LogGroupName.Ref).toMatch(/^ApiAccessLog/);
  expect(FilterPattern).toBe('{ $.error = "THROTTLED" }');
  const { Format } = complete.one('ApiGatewayV2::Stage').Properties.AccessLogSettings;
  expect(JSON.parse(Format).error).toBe('$context.error.responseType');
  const [{ MetricName, MetricNamespace: Namespace }] = MetricTransformations;
  expect(alarmOf('GatewayThrottles')).toMatchObject({ MetricName, Namespace, Threshold: 10 });
});

describe('a certificate', () => {
  test.each([
    [30, false],
    [29, true],
  ])('of %i more days raises an alarm: %j', (days0, raised) => {
    expect(isRaised(alarmOf('CertificateExpires'), { days0 })).toBe(raised);
    expect(isRaised(doorCertificates, { days0, days1: 365 })).toBe(raised);
    expect(isRaised(doorCertificates, { days0: 365, days1: days0 })).toBe(raised);
  });

  test('that has expired, and so has no days, raises an alarm after two days', () => {
    expect(isRaised(alarmOf('CertificateExpires'), {})).toBe(true);
    expect(isRaised(doorCertificates, { days0: 365 })).toBe(true);
    expect(periodsOf(alarmOf('CertificateExpires'))).toEqual([day, 2, 2]);
  });

  test('is watched where it is: that of the API, that of the front door and that of its client', () => {
    const arns = (alarm: MathAlarm) =>
      alarm.Metrics.slice(1).map((part) => (part as MathPart).MetricStat.Metric.Dimensions[0]?.Value);
    expect(arns(alarmOf('CertificateExpires'))).toEqual([everything.certificateArn]);
    expect(arns(doorCertificates)).toEqual([
      everything.frontDoorCertificateArn,
      everything.frontDoorClientCertificateArn,
    ]);
    expect(synthesizeWith({ stage: 'prod' }).all('CloudWatch::Alarm', 'AlarmsCertificate')).toEqual([]);
  });
});

test.each([
  ['2028-10-30', false],
  ['2028-10-31', true],
])('on %s, a truststore that expires on 2028-11-30 raises an alarm: %j', (date, raised) => {
  expect(everything.truststoreExpires).toBe('2028-11-30');
  expect(isRaised(alarmOf('TruststoreExpires'), { requests: Date.parse(date) / 1000 })).toBe(raised);
});

describe('backups', () => {
  test.each([
    'ofBackupJobsFailed0',
    'ofBackupJobsAborted0',
    'ofBackupJobsExpired0',
    'ofCopyJobsFailed0',
    'ofCopyJobsFailed1',
  ])('raise an alarm for one of %s', (name) => {
    expect(isRaised(alarmOf('BackupFailed'), { [name]: 1 })).toBe(true);
    expect(isRaised(alarmOf('BackupFailed'), {})).toBe(false);
  });

  test('raise an alarm if two days have no copy', () => {
    expect(isRaised(alarmOf('CopyMissing'), {})).toBe(true);
    for (const name of ['ofCopyJobsCompleted0', 'ofCopyJobsCompleted1'])
      expect(isRaised(alarmOf('CopyMissing'), { [name]: 1 })).toBe(false);
    expect(periodsOf(alarmOf('CopyMissing'))).toEqual([day, 2, 2]);
  });

  test('are watched by the names of both vaults, and only where they exist', () => {
    const vaults = alarmOf('CopyMissing')
      .Metrics.slice(1)
      .map((part) => (part as MathPart).MetricStat.Metric.Dimensions[0]?.Value);
    const [own] = complete.all('Backup::BackupVault').map(({ Properties }) => Properties.BackupVaultName);
    const copies = otherTemplate({ stage: 'prod', ...everything }, 'backup-copy');
    const [copy] = Object.values(copies.findResources('AWS::Backup::BackupVault'));
    expect(vaults).toEqual([own, copy?.Properties.BackupVaultName]);
    for (const name of ['AlarmsBackupFailed', 'AlarmsCopyMissing'])
      expect(synthesizeWith({ stage: 'prod', events: true }).all('CloudWatch::Alarm', name)).toEqual([]);
  });
});

describe('the front door', () => {
  test.each([
    [{ rate: 5, requests: 100 }, true],
    [{ rate: 4, requests: 1000 }, false],
    [{ rate: 100, requests: 4 }, false],
    [{ rate: 100, requests: 5 }, true],
  ])('at %j: %j', (measured, raised) => {
    expect(isRaised(doorErrors, measured)).toBe(raised);
  });

  test('has alarms that reach the same recipient, in a protected stage only', () => {
    frontDoor.resourceCountIs('AWS::CloudWatch::Alarm', 2);
    frontDoor.allResourcesProperties('AWS::SNS::Subscription', { Endpoint: everything.alarmEmail });
    frontDoor.resourceCountIs('AWS::SNS::Subscription', 2);
    const { backupRegion: _, ...others } = everything;
    otherTemplate({ ...others, stage: 'test', protect: false }, 'front-door').resourceCountIs(
      'AWS::CloudWatch::Alarm',
      0,
    );
  });
});
