/** What the stage of a deployment decides: how long data and logs are kept, who watches it, and how careful a deployment is. */
import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { DeploymentContext } from './context.ts';

export type Stage = ReturnType<typeof stageOf>;

/** What follows from the context: a stage that is protected retains its data; every other one cleans up after itself. */
export function stageOf(context: DeploymentContext) {
  const { stage: name, protect: isProtected = name === 'prod', logRetentionDays, recoveredTable } = context;
  const isRecovered = recoveredTable?.stage === name;
  // The numbers of RetentionDays are days.
  const logRetention =
    logRetentionDays ?? (isProtected ? RetentionDays.THREE_MONTHS : RetentionDays.ONE_WEEK);
  return {
    name,
    /** What all that costs is told apart by: the stack has them, and the table, whose replicas have their own. */
    tags: { service: 'testimonials', stage: name },
    /** What happens to data when the stack, or the resource in it, is deleted. */
    removalPolicy: isProtected ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    /** A table that was restored from a backup, in the place of the stage's own. */
    recoveredTable: isRecovered ? recoveredTable : undefined,
    /** Production: against deletion of the table and of the stack; with all alarms and a dashboard. */
    isProtected,
    /**
     * Whether a new version of a function of the API takes its requests over little by little: versions before a recovery have
     * another table, which their roles may no longer read.
     */
    isShifted: isProtected && !isRecovered,
    /** Where CloudWatch keeps the functions' own metrics: stages that share an account have their own. */
    metricsNamespace: `Testimonials/${name}`,
    logRetention,
    /** The log that names erased testimonials is kept longer than a backup brings them back, 35 days. */
    erasureLogRetention: Math.max(logRetention, RetentionDays.TWO_MONTHS),
  };
}
