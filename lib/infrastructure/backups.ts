/**
 * Backs up the table daily, copies each backup to another region, and logs erasures there, because a restore
 * has to repeat them. Backups and copies are kept for as long as point-in-time recovery goes back.
 */
import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import * as backup from 'aws-cdk-lib/aws-backup';
import { EventBus, Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { EventBus as EventBusTarget } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup, ResourcePolicy } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { type EventName, eventSource } from '../../functions/publish-events/event.ts';
import type { Stage } from './context.ts';
import type { Events } from './events.ts';

const deleteAfter = Duration.days(35);

/** Copies and erasures outlive every stage, except a first deployment that fails. */
const removalPolicy = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;

/**
 * The name of the vault and the event bus in the other region. The stacks share this name instead of
 * references.
 */
const copyNameOf = ({ name }: Stage) => `testimonials-${name}-copy`;

interface BackupsProps {
  stage: Stage;
  tableArn: string;
  events: Events;
  copyRegion: string;
}

/** The part in the service's region. */
export class Backups extends Construct {
  /** The vaults of the backups and of their copies. */
  readonly vaultNames: readonly string[];

  constructor(scope: Construct, id: string, { stage, tableArn, events, copyRegion }: BackupsProps) {
    super(scope, id);
    const { partition, account } = Stack.of(this);
    const vaultOfCopies = `arn:${partition}:backup:${copyRegion}:${account}:backup-vault:${copyNameOf(stage)}`;
    const busOfCopies = `arn:${partition}:events:${copyRegion}:${account}:event-bus/${copyNameOf(stage)}`;
    const name = `testimonials-${stage.name}`;
    this.vaultNames = [name, copyNameOf(stage)];
    const backupPlan = new backup.BackupPlan(this, 'Plan', {
      backupPlanName: name,
      backupVault: new backup.BackupVault(this, 'Vault', { backupVaultName: name, removalPolicy }),
    });
    const destinationBackupVault = backup.BackupVault.fromBackupVaultArn(this, 'Copies', vaultOfCopies);
    backupPlan.addRule(
      new backup.BackupPlanRule({
        ruleName: 'daily',
        scheduleExpression: Schedule.cron({ hour: '3', minute: '0' }),
        deleteAfter,
        copyActions: [{ destinationBackupVault, deleteAfter }],
      }),
    );
    new backup.BackupSelection(this, 'Table', {
      backupPlan,
      backupSelectionName: 'table',
      resources: [backup.BackupResource.fromArn(tableArn)],
      // Roles are global, so a restore in the other region also uses the selection's role.
      allowRestores: true,
    });
    for (const policy of ['Backup', 'Restores'])
      Validations.of(this).acknowledge({
        id: `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSBackupServiceRolePolicyFor${policy}]`,
        reason: 'The policies that AWS maintains for its backups.',
      });
    const bus = EventBus.fromEventBusArn(this, 'BusOfCopies', busOfCopies);
    new Rule(this, 'Erasures', {
      description: 'Testimonials: erasures to the region of the copies',
      eventBus: events.bus,
      eventPattern: { source: [eventSource], detailType: ['testimonial.erased' satisfies EventName] },
      targets: [new EventBusTarget(bus, { deadLetterQueue: events.undelivered })],
    });
  }
}

/**
 * The part in the other region: the vault of the copies, and the log of erasures, which EventBridge delivers
 * there.
 */
export class BackupCopy extends Construct {
  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id);
    const name = copyNameOf(stage);
    new backup.BackupVault(this, 'Vault', { backupVaultName: name, removalPolicy });
    const logGroupName = `/aws/events/${name}`;
    const retention = stage.erasureLogRetention;
    const log = new LogGroup(this, 'Erasures', { logGroupName, retention, removalPolicy });
    // https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-resource-based.html#eb-cloudwatchlogs-permissions
    const writers = ['events.amazonaws.com', 'delivery.logs.amazonaws.com'];
    const statement = new PolicyStatement({
      principals: writers.map((service) => new ServicePrincipal(service)),
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [log.logGroupArn],
    });
    new ResourcePolicy(this, 'Policy', { resourcePolicyName: name, policyStatements: [statement] });
    // The CDK's target for a log group would add a function to write this policy.
    const { partition, region, account } = Stack.of(this);
    const arn = `arn:${partition}:logs:${region}:${account}:log-group:${log.logGroupName}`;
    new Rule(this, 'Rule', {
      description: 'Testimonials: the erasures of another region',
      eventBus: new EventBus(this, 'Bus', { eventBusName: name }),
      eventPattern: { source: [eventSource] },
      targets: [{ bind: () => ({ arn }) }],
    });
  }
}
