/** What the stage of a deployment decides: how long data and logs are kept, and how careful a deployment is. */
import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { DeploymentContext } from './context.ts';

export interface Stage {
  name: string;
  /** What happens to data when the stack, or the resource in it, is deleted. */
  removalPolicy: RemovalPolicy;
  /** A table that was restored from a backup, in the place of the stage's own. */
  recoveredTable?: { tableName: string; tableStreamArn: string };
  /** Against deletion: of the table and of the stack. */
  isProtected: boolean;
  logRetention: RetentionDays;
  /** Whether a new version of a function of the API takes its requests over little by little. */
  isShifted: boolean;
  /** Where CloudWatch keeps the functions' own metrics: stages that share an account have their own. */
  metricsNamespace: string;
  /** Of the log that names erased testimonials: longer than a backup brings them back, 35 days. */
  erasureLogRetention: RetentionDays;
}

/** What follows from the context: `prod` retains and protects its data; every other stage cleans up after itself. */
export function stageOf({ stage: name, logRetentionDays, recoveredTable }: DeploymentContext): Stage {
  const isProd = name === 'prod';
  const recovered = recoveredTable?.stage === name ? recoveredTable.table : undefined;
  // The numbers of RetentionDays are days.
  const logRetention = logRetentionDays ?? (isProd ? RetentionDays.THREE_MONTHS : RetentionDays.ONE_WEEK);
  return {
    name,
    removalPolicy: isProd ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    ...(recovered && { recoveredTable: recovered }),
    isProtected: isProd,
    // Versions before have another table, which their roles may no longer read.
    isShifted: isProd && recovered === undefined,
    metricsNamespace: `Testimonials/${name}`,
    logRetention,
    erasureLogRetention: Math.max(logRetention, RetentionDays.TWO_MONTHS),
  };
}
