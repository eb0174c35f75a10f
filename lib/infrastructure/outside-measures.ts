/**
 * The metrics of events that no function logs: requests that the gateway throttles, certificates that expire,
 * and backups.
 */
import { Duration } from 'aws-cdk-lib';
import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import { MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Backups } from './backups.ts';
import type { Measure } from './measure.ts';
import type { TestimonialsApi } from './testimonials-api.ts';

export interface WatchedOutside {
  api: TestimonialsApi;
  backups: Backups | undefined;
  /** Namespace of the stage's own metrics. */
  metricsNamespace: string;
  /** The date on which the first certificate of the truststore expires, such as `2027-11-30`. */
  truststoreExpires: string | undefined;
}

const day = Duration.days(1);

/**
 * The number of days before a certificate expires at which an alarm is raised. ACM renews its own
 * certificates earlier.
 */
const daysToRenew = 30;

export function outsideMeasures({
  api,
  backups,
  metricsNamespace,
  truststoreExpires,
}: WatchedOutside): Measure[] {
  const { certificate } = api;
  return [
    throttleMeasure(api, metricsNamespace),
    ...(certificate ? [certificateMeasure([certificate])] : []),
    ...(truststoreExpires === undefined ? [] : [truststoreMeasure(api, truststoreExpires)]),
    ...(backups ? backupMeasures(backups) : []),
  ];
}

/**
 * Counts requests that the gateway refuses because of `stageRate` or a quota of the account. No function sees
 * them.
 */
function throttleMeasure({ httpApi, accessLog }: TestimonialsApi, metricNamespace: string): Measure {
  const filter = new MetricFilter(httpApi, 'RequestsThrottled', {
    logGroup: accessLog,
    // https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-logging-variables.html
    filterPattern: FilterPattern.stringValue('$.error', '=', 'THROTTLED'),
    metricNamespace,
    metricName: 'RequestsThrottled',
    metricValue: '1',
  });
  return {
    metric: filter.metric({ period: Duration.minutes(5), statistic: Stats.SUM }),
    graph: ['Errors in five minutes', 'Throttled by the gateway'],
    // A burst of a second needs no reaction.
    alarm: { section: 'GatewayThrottles', threshold: 10, periods: 3, raisedIn: 2, isUrgent: true },
  };
}

/**
 * Watches the days until the first of these certificates expires. ACM publishes the metric daily until then
 * (https://docs.aws.amazon.com/acm/latest/userguide/cloudwatch-metrics.html), so two days without the metric
 * count as expired.
 */
export function certificateMeasure(certificates: readonly ICertificate[]): Measure {
  const days = certificates.map((each, i) => [`days${i}`, each.metricDaysToExpiry({ period: day })] as const);
  const left = `MIN([${days.map(([name]) => `FILL(${name}, 0)`).join(', ')}])`;
  return {
    metric: new MathExpression({
      expression: `IF(${left} < ${daysToRenew}, 1, 0)`,
      usingMetrics: Object.fromEntries(days),
      period: day,
    }),
    alarm: { section: 'CertificateExpires', threshold: 1, periods: 2 },
  };
}

/** Compares the time of requests with a date, because AWS publishes no metric about a truststore. */
function truststoreMeasure({ httpApi }: TestimonialsApi, expires: string): Measure {
  const renewAt = Date.parse(expires) / 1000 - daysToRenew * day.toSeconds();
  return {
    metric: new MathExpression({
      expression: `IF(EPOCH(requests) >= ${renewAt}, 1, 0)`,
      usingMetrics: { requests: httpApi.metricCount({ period: day, statistic: Stats.SUM }) },
      period: day,
    }),
    alarm: { section: 'TruststoreExpires', threshold: 1 },
  };
}

/**
 * Sums metrics of AWS Backup over both vaults, because the metrics of a copy have the dimension of only one
 * of them (https://docs.aws.amazon.com/aws-backup/latest/devguide/cloudwatch.html).
 */
function sumOfJobs(vaults: readonly string[], metricNames: readonly string[]) {
  const metrics = metricNames.flatMap((metricName) =>
    vaults.map((BackupVaultName, i) => {
      const dimensionsMap = { BackupVaultName };
      const options = { namespace: 'AWS/Backup', metricName, dimensionsMap, period: day };
      // Names in metric math begin with a lower-case letter.
      return [
        `${metricName.replace('NumberOf', 'of')}${i}`,
        new Metric({ ...options, statistic: Stats.SUM }),
      ];
    }),
  );
  const sum = metrics.map(([name]) => `FILL(${name}, 0)`).join(' + ');
  return { sum, usingMetrics: Object.fromEntries(metrics), period: day };
}

function backupMeasures({ vaultNames }: Backups): Measure[] {
  const failed = ['Failed', 'Aborted', 'Expired'].map((state) => `NumberOfBackupJobs${state}`);
  const { sum: failures, ...ofFailures } = sumOfJobs(vaultNames, [...failed, 'NumberOfCopyJobsFailed']);
  const { sum: copies, ...ofCopies } = sumOfJobs(vaultNames, ['NumberOfCopyJobsCompleted']);
  return [
    {
      metric: new MathExpression({ expression: failures, ...ofFailures }),
      alarm: { section: 'BackupFailed', threshold: 1 },
    },
    {
      metric: new MathExpression({ expression: `IF(${copies} == 0, 1, 0)`, ...ofCopies }),
      alarm: { section: 'CopyMissing', threshold: 1, periods: 2 },
    },
  ];
}
