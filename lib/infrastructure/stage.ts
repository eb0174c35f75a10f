/** What the stage of a deployment decides: how long data and logs are kept. */
import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Node } from 'constructs';

export interface Stage {
  name: string;
  /** What happens to data when the stack, or the resource in it, is deleted. */
  removalPolicy: RemovalPolicy;
  deletionProtection: boolean;
  logRetention: RetentionDays;
}

/**
 * Reads the stage from the context value `stage`. `prod` retains and protects its data; every other stage
 * cleans up after itself.
 */
export function stageOf(node: Node): Stage {
  const name: unknown = node.tryGetContext('stage') ?? 'dev';
  if (typeof name !== 'string' || !/^[a-z][a-z0-9-]{0,19}$/.test(name)) {
    throw new Error('The context value "stage" must be 1 to 20 of a-z, 0-9 and -, beginning with a letter');
  }
  return name === 'prod'
    ? {
        name,
        removalPolicy: RemovalPolicy.RETAIN,
        deletionProtection: true,
        logRetention: RetentionDays.THREE_MONTHS,
      }
    : {
        name,
        removalPolicy: RemovalPolicy.DESTROY,
        deletionProtection: false,
        logRetention: RetentionDays.ONE_WEEK,
      };
}
