/** What tells the people who run the service how it is: alarms, each with what to do, and a dashboard. */
import { Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  AlarmStatusWidget,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  PeriodOverride,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { Stage } from './context.ts';
import type { Measure, Watched } from './measures.ts';
import { spending } from './spending.ts';

/** What also a stage is told of that is not protected: ten metrics, which CloudWatch watches for nothing, and those of events. */
const everywhere = [
  ...['ApiOutage', 'FunctionErrors', 'IndexLag', 'FoldFailures', 'DeadLetters', 'PlaceTaken'],
  ...['EventsGivenUp', 'EventsUndelivered'],
];

/**
 * Adds the alarms that the stage has.
 * @param email who is written to; nobody when absent: the alarms are in CloudWatch then
 * @returns them by their names
 */
export function addAlarms(
  stack: Stack,
  { stage, measures, email }: { stage: Stage; measures: Measure[]; email: string | undefined },
): ReadonlyMap<string, Alarm> {
  const scope = new Construct(stack, 'Alarms');
  const action = new SnsAction(topicOf(scope, email));
  const made = new Map<string, Alarm>();
  for (const { metric, alarm: definition } of measures) {
    if (!definition) continue;
    const { name, section = name, says, threshold, periods = 1, raisedIn = periods } = definition;
    if (!stage.isProtected && !everywhere.includes(section)) continue;
    const alarm = new Alarm(scope, name, {
      alarmDescription: `${says}. docs/operations.md#${anchorOf(section)}`,
      metric,
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: periods,
      datapointsToAlarm: raisedIn,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(action);
    made.set(name, alarm);
  }
  return made;
}

function topicOf(scope: Construct, email: string | undefined): Topic {
  const topic = new Topic(scope, 'Topic', { enforceSSL: true });
  Validations.of(topic).acknowledge({
    id: 'AwsSolutions-SNS2',
    reason:
      'It has names of alarms and figures, nothing of a customer, and alarms cannot use the AWS managed key.',
  });
  // A policy of its own replaces that of SNS, and enforceSSL makes one which only denies: without this, no alarm arrives
  // (https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-use-cases.html).
  topic.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
  );
  if (email !== undefined) topic.addSubscription(new EmailSubscription(email));
  return topic;
}

/** What a link to a section ends with: `function-errors`. */
function anchorOf(section: string): string {
  return section.replaceAll(/(?<=[a-z])[A-Z]/g, '-$&').toLowerCase();
}

/** Adds a dashboard of all graphs, the alarms above and what everything costs below. */
export function addDashboard(
  stack: Stack,
  watched: Watched,
  measures: Measure[],
  alarms: ReadonlyMap<string, Alarm>,
): void {
  const shown = measures.flatMap(({ metric, graph }) => (graph ? [{ metric, graph }] : []));
  const graphs = [...Map.groupBy(shown, ({ graph: [title] }) => title)].map(([title, each]) => {
    const left = each.map(({ metric, graph: [, label] }) => metric.with({ label }));
    return new GraphWidget({ ...graphProps, title, left, width: 12 });
  });
  const costs = { title: 'Dollars an hour', left: spending(watched), stacked: true, width: 24 };
  new Dashboard(new Construct(stack, 'Dashboard'), 'Dashboard', {
    // All regions of an account share these names
    // (https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutDashboard.html).
    dashboardName: `testimonials-${watched.stage.name}-${stack.region}`,
    defaultInterval: Duration.days(1),
    // A graph of dollars an hour stays one, however long the time that it shows.
    periodOverride: PeriodOverride.INHERIT,
    widgets: [
      [new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms.values()], width: 24, height: 4 })],
      graphs,
      [new GraphWidget({ ...graphProps, ...costs })],
    ],
  });
}

const graphProps = { leftYAxis: { min: 0, showUnits: false } };
