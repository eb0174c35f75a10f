/** The parts that stand in templates of YAML, most without a construct in the CDK: other regions, backups and the budget. */
import { fileURLToPath } from 'node:url';
import { Stage as Assembly, Stack, Token, Validations } from 'aws-cdk-lib';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnInclude } from 'aws-cdk-lib/cloudformation-include';
import { Construct } from 'constructs';
import type { DeploymentContext, Stage } from './context.ts';
import type { Events } from './events.ts';

/** Includes the template in the file `<name>.yaml`. */
function include(scope: Construct, name: string, parameters: Record<string, unknown>): CfnInclude {
  const templateFile = fileURLToPath(new URL(`./${name}.yaml`, import.meta.url));
  return new CfnInclude(scope, 'Template', { templateFile, parameters });
}

/** Backs the table up every day, and sends its erasures to the region of the copies. */
export function addBackups(
  stack: Stack,
  { bus, undelivered }: Events,
  parameters: Record<'TableArn' | 'CopyRegion', string>,
): void {
  const [EventBusName, UndeliveredArn] = [bus.eventBusName, undelivered.queueArn];
  const scope = new Construct(stack, 'Backups');
  const template = include(scope, 'backups', { ...parameters, EventBusName, UndeliveredArn });
  const conditions = { ArnEquals: { 'aws:SourceArn': template.getResource('Erasures').getAtt('Arn') } };
  undelivered.grantSendMessages(new ServicePrincipal('events.amazonaws.com', { conditions }));
  const reason = 'The policies that AWS maintains for its backups.';
  for (const policy of ['Backup', 'Restores']) {
    const id = `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSBackupServiceRolePolicyFor${policy}]`;
    Validations.of(template).acknowledge({ id, reason });
  }
}

/** Adds the stacks in other regions. They are in a stage of the CDK, so that `cdk deploy` without names deploys the service alone. */
export function addOtherRegions(scope: Construct, stage: Stage, context: DeploymentContext): void {
  const { frontDoorOrigin, backupRegion, stageRate, organizationRate = stageRate / 4 } = context;
  if (frontDoorOrigin === undefined && backupRegion === undefined) return;
  const assembly = new Assembly(scope, 'OtherRegions');
  const add = (name: string, region: string, parameters: Record<string, unknown>) => {
    const names = { stackName: `testimonials-${stage.name}-${name}`, env: { region }, tags: stage.tags };
    const stack = new Stack(assembly, name, { ...names, terminationProtection: stage.isProtected });
    return include(stack, name, parameters);
  };
  if (backupRegion !== undefined) {
    // The stack of the service knows this name.
    const Name = `testimonials-${stage.name}-copy`;
    const log = { LogGroupName: `/aws/events/${Name}`, ErasureLogRetention: stage.erasureLogRetention };
    add('backup-copy', backupRegion, { Name, ...log });
  }
  if (frontDoorOrigin === undefined) return;
  const { frontDoorClientCertificateArn: ClientCertificateArn } = context;
  const frontDoor = add('front-door', 'us-east-1', {
    Name: `testimonials-${stage.name}`,
    DomainName: context.domainName,
    OriginDomainName: frontDoorOrigin,
    CertificateArn: context.frontDoorCertificateArn,
    OriginMtlsConfig: ClientCertificateArn ? { ClientCertificateArn } : Token.asAny({ Ref: 'AWS::NoValue' }),
    RequestsAMinuteByToken: 60 * (organizationRate || stageRate),
  });
  Validations.of(frontDoor).acknowledge(
    { id: 'AwsSolutions-CFR1', reason: 'Testimonials come from all countries.' },
    { id: 'AwsSolutions-CFR3', reason: 'URLs may contain tokens. The API logs requests without their URLs.' },
  );
}
