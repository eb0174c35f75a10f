/** Resources that the CDK has no constructs for, in templates of YAML: the stacks in other regions, backups and a budget. */
import { fileURLToPath } from 'node:url';
import { Stage as Assembly, Stack, Validations } from 'aws-cdk-lib';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnInclude } from 'aws-cdk-lib/cloudformation-include';
import { Construct } from 'constructs';
import type { DeploymentContext, Stage } from './context.ts';
import type { Events } from './events.ts';

/** Includes the template in the file `<name>.yaml`. */
export function include(scope: Construct, name: string, parameters: Record<string, unknown>): CfnInclude {
  const templateFile = fileURLToPath(new URL(`./${name}.yaml`, import.meta.url));
  return new CfnInclude(scope, 'Template', { templateFile, parameters });
}

/** The name of the vault, the event bus and the log in the other region. */
const copyName = ({ name }: Stage) => `testimonials-${name}-copy`;

/** Backs the table up every day, and sends its erasures to the region of the copies. */
export function addBackups(
  stack: Stack,
  {
    stage,
    backupRegion,
    table,
    events,
  }: { stage: Stage; backupRegion: string; table: string; events: Events },
): void {
  const template = include(new Construct(stack, 'Backups'), 'backups', {
    ...{ TableArn: table, CopyRegion: backupRegion, CopyName: copyName(stage) },
    ...{ EventBusName: events.bus.eventBusName, UndeliveredArn: events.undelivered.queueArn },
  });
  const conditions = { ArnEquals: { 'aws:SourceArn': template.getResource('Erasures').getAtt('Arn') } };
  events.undelivered.grantSendMessages(new ServicePrincipal('events.amazonaws.com', { conditions }));
  const policy =
    'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSBackupServiceRolePolicyFor';
  const reason = 'The policies that AWS maintains for its backups.';
  Validations.of(template).acknowledge(
    { id: `${policy}Backup]`, reason },
    { id: `${policy}Restores]`, reason },
  );
}

/** Adds the stacks in other regions. They are in a stage of the CDK, so that `cdk deploy` without names deploys the service alone. */
export function addOtherRegions(scope: Construct, stage: Stage, context: DeploymentContext): void {
  const { frontDoorOrigin, backupRegion, stageRate, organizationRate = stageRate / 4 } = context;
  if (frontDoorOrigin === undefined && backupRegion === undefined) return;
  const assembly = new Assembly(scope, 'OtherRegions');
  const { tags, isProtected: terminationProtection } = stage;
  const stackOf = (name: string, region: string) =>
    new Stack(assembly, name, {
      ...{ stackName: `testimonials-${stage.name}-${name}`, env: { region }, tags, terminationProtection },
    });
  if (backupRegion !== undefined) {
    const parameters = { Name: copyName(stage), ErasureLogRetention: stage.erasureLogRetention };
    include(stackOf('backup-copy', backupRegion), 'backup-copy', parameters);
  }
  if (frontDoorOrigin === undefined) return;
  const frontDoor = include(stackOf('front-door', 'us-east-1'), 'front-door', {
    Stage: stage.name,
    DomainName: context.domainName,
    OriginDomainName: frontDoorOrigin,
    CertificateArn: context.frontDoorCertificateArn,
    ClientCertificateArn: context.frontDoorClientCertificateArn ?? '',
    RequestsAMinuteByToken: 60 * (organizationRate || stageRate),
  });
  Validations.of(frontDoor).acknowledge(
    { id: 'AwsSolutions-CFR1', reason: 'Testimonials come from all countries.' },
    { id: 'AwsSolutions-CFR3', reason: 'URLs may contain tokens. The API logs requests without their URLs.' },
  );
}
