/**
 * `npx cdk deploy`, as the pages print it, against an imitation of CloudFormation: what it asks before it
 * changes anything.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import cdkJson from '../../cdk.json' with { type: 'json' };
import { testimonialsApp } from '../../lib/infrastructure/testimonials-stack.ts';
import { declared, everything } from '../infrastructure/synthesized.ts';

const stackName = 'testimonials-prod';
const stackId = `arn:aws:cloudformation:eu-central-1:123456789012:stack/${stackName}/1`;
const changeSetId = 'arn:aws:cloudformation:eu-central-1:123456789012:changeSet/c/1';

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const members = (tags: Record<string, string>) =>
  Object.entries(tags).map(([key, value]) => `<member><Key>${key}</Key><Value>${value}</Value></member>`);

/**
 * Imitates the services that a deployment calls, with a stack that has this template and these tags.
 * @param allowed the actions that a role may use, of CloudFormation and no other service; all by default
 */
async function startAws(template: string, tags: Record<string, string>, allowed?: string[]) {
  const actions: string[] = [];
  const results: Record<string, string> = {
    GetCallerIdentity:
      '<Arn>arn:aws:iam::123456789012:user/a</Arn><UserId>a</UserId><Account>123456789012</Account>',
    DescribeStacks: `<Stacks><member><StackName>${stackName}</StackName><StackId>${stackId}</StackId>
      <StackStatus>UPDATE_COMPLETE</StackStatus><EnableTerminationProtection>true</EnableTerminationProtection>
      <CreationTime>2026-01-01T00:00:00Z</CreationTime><Tags>${members(tags).join('')}</Tags><Parameters><member><ParameterKey>BootstrapVersion</ParameterKey>
      <ParameterValue>/cdk-bootstrap/hnb659fds/version</ParameterValue></member></Parameters></member></Stacks>`,
    GetTemplate: `<TemplateBody>${escaped(template)}</TemplateBody>`,
    CreateChangeSet: `<Id>${changeSetId}</Id><StackId>${stackId}</StackId>`,
    DescribeChangeSet: `<ChangeSetName>c</ChangeSetName><ChangeSetId>${changeSetId}</ChangeSetId>
      <StackName>${stackName}</StackName><Status>CREATE_COMPLETE</Status><ExecutionStatus>AVAILABLE</ExecutionStatus>`,
    DeleteChangeSet: '',
  };
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const action = new URLSearchParams(body).get('Action');
    // SSM knows the version of the bootstrap stack, and S3 accepts every file.
    if (allowed && action === null) return response.writeHead(403).end('{"__type":"AccessDeniedException"}');
    if ('x-amz-target' in request.headers) return response.end('{"Parameter":{"Value":"30"}}');
    if (action === null) return response.end();
    actions.push(action);
    const isKnown =
      (allowed?.includes(action) ?? action in results) &&
      (action !== 'DescribeChangeSet' || actions.includes('CreateChangeSet'));
    const error = action === 'DescribeChangeSet' ? 'ChangeSetNotFound' : 'AccessDenied';
    return response
      .writeHead(isKnown ? 200 : 400, { 'content-type': 'text/xml' })
      .end(
        isKnown
          ? `<${action}Response><${action}Result>${results[action]}</${action}Result></${action}Response>`
          : `<ErrorResponse><Error><Code>${error}</Code><Message>No</Message></Error></ErrorResponse>`,
      );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a server on a port has no other address
  return { url: `http://127.0.0.1:${port}`, actions, stop: () => server.close() };
}

/** A synthesized stage: its folder, and the template and tags of its stack. */
interface Synthesized {
  outdir: string;
  template: string;
  tags: Record<string, string>;
}

/** Deploys a synthesized stage over a deployed one, without a terminal, so that nobody answers a question. */
const deploy = (made: Synthesized, deployed: Synthesized) => run(['deploy'], made, deployed);

/** Runs a command of the CDK for a synthesized stage, over a deployed one. */
async function run(
  command: string[],
  { outdir }: Synthesized,
  { template, tags }: Synthesized,
  allowed?: string[],
) {
  const aws = await startAws(template, tags, allowed);
  const env = {
    PATH: process.env.PATH,
    HOME: outdir,
    AWS_ENDPOINT_URL: aws.url,
    AWS_MAX_ATTEMPTS: '1',
    AWS_ACCESS_KEY_ID: 'a',
    AWS_SECRET_ACCESS_KEY: 'b',
    AWS_REGION: 'eu-central-1',
  };
  const cdk = spawn('npx', ['cdk', ...command, '--app', outdir, '--no-notices'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, code] = await Promise.all([
    cdk.stdout.toArray(),
    cdk.stderr.toArray(),
    new Promise((resolve) => cdk.on('close', resolve)),
  ]);
  aws.stop();
  return { output: Buffer.concat([...stdout, ...stderr]).toString(), code, actions: aws.actions };
}

describe('a deployment of a stage', () => {
  const folder = mkdtempSync(join(tmpdir(), 'testimonials-deploy-'));
  const synthesize = (name: string, values: Record<string, unknown>): Synthesized => {
    const outdir = join(folder, name);
    const context = { ...cdkJson.context, stage: 'prod' };
    const { app, stack } = testimonialsApp({ outdir, context }, () => declared(values));
    app.synth();
    const template = readFileSync(join(outdir, `${stackName}.template.json`), 'utf8');
    return { outdir, template, tags: stack.tags.tagValues() };
  };
  let complete: Synthesized;
  beforeAll(() => {
    complete = synthesize('complete', everything);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('that would remove what holds data or addresses names it, and begins only after an answer', async () => {
    const { output, code, actions } = await deploy(synthesize('bare', {}), complete);
    const [, removed = ''] = output.split('Destructive changes:');
    for (const what of [
      'AWS::ApiGatewayV2::DomainName Api/Domain',
      'AWS::Events::EventBus Events/Bus',
      'AWS::SecretsManager::Secret Events/Webhook/Key',
      'AWS::SNS::Subscription Alarms/Topic/ops@example.com',
      'AWS::Lambda::Function ServeDesk',
      'AWS::Lambda::Function ServePages',
      'AWS::Lambda::Function ModerateTestimonials',
      'AWS::Backup::BackupVault Backups/Vault',
    ])
      expect(removed).toMatch(new RegExp(`${what} .*will be (destroyed|orphaned)`));
    expect(output).toContain('Stack includes destructive updates');
    expect(code).not.toBe(0);
    expect(actions.at(-1)).toBe('DeleteChangeSet');
    expect(actions).not.toContain('ExecuteChangeSet');
  });

  test('is compared with what is deployed by a role that may only read the stack and its template', async () => {
    const roles = readFileSync('examples/github.sh', 'utf8');
    const [, actions = ''] = /prod-changes \] && ALLOWED='"Action": \[([^\]]*)\]/.exec(roles) ?? [];
    const allowed = [...actions.matchAll(/cloudformation:(\w+)/g)].map(([, action = '']) => action);
    expect(allowed).toEqual(['DescribeStacks', 'GetTemplate']);
    const workflow = readFileSync('.github/workflows/deploy.yml', 'utf8');
    const [, command = ''] = /npx cdk (diff .*?) > changes.txt/.exec(workflow) ?? [];
    const args = command.replace('-c stage=prod ', '').split(' ');
    // Everyone may ask who they are
    // (https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html).
    const may = [...allowed, 'GetCallerIdentity'];
    const { output } = await run(args, synthesize('compared', {}), complete, may);
    expect(output).toContain('[-] AWS::ApiGatewayV2::DomainName Api/Domain');
    expect(output).toMatch(/Number of stacks with differences: 1/);
  });

  test('that declares what is deployed changes nothing and asks nothing', async () => {
    const { output, code, actions } = await deploy(complete, complete);
    expect(output).toContain('(no changes)');
    expect([code, actions.includes('CreateChangeSet')]).toEqual([0, false]);
  });
});
