/** A metric of the service, with its graph and its alarm. */
import type { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type problems from './problems.json';

export interface Measure {
  metric: Metric | MathExpression;
  /** The dashboard's graph that shows the metric, and its label there. */
  graph?: readonly [title: string, label: string];
  alarm?: AlarmDefinition;
}

interface AlarmDefinition {
  section: AlarmSection;
  /** For an alarm that exists for each function. */
  functionName?: string;
  /** The alarm is raised at this value and above. */
  threshold: number;
  /** Number of periods that the alarm evaluates; 1 by default. */
  periods?: number;
  /** Number of these periods in which the value must reach the threshold; all by default. */
  raisedIn?: number;
  /**
   * A person must react immediately, because clients see the problem or data is at risk. Other alarms can
   * wait.
   */
  isUrgent?: true;
  /**
   * The alarm also exists in unprotected stages. Apart from those of events, these alarms watch about ten
   * metrics, which are free in CloudWatch.
   */
  isEverywhere?: true;
}

/** A section of docs/alarms.md, which explains the problem and its remedy. */
export type AlarmSection = keyof typeof problems;
