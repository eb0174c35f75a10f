/** An account of AWS on this machine: moto with the resources of a deployment, and the AWS CLI. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll } from '@jest/globals';
import { ownDynamoDb } from './dynamodb.ts';
import { directory } from './file-of.ts';
import type { Synthesized } from './infrastructure/synthesized.ts';
import { listen } from './listen.ts';

const run = promisify(execFile);

// Names of most resources come from the template: the AWS CLI takes half a second for each, and moto lacks
// some. A server of the test accepts the calls that moto lacks.
const awsProgram = `
if [[ "$*" =~ list-stack-resources.*==\\'(AWS::(CodeDeploy|Events|Lambda|Logs)::[A-Za-z]+)\\'.*,\\ \\'([A-Za-z]+)\\' ]]; then
  exec awk -v type="\${BASH_REMATCH[1]}" -v id="\${BASH_REMATCH[3]}" '$1 == type && index($2, id) == 1 { print $2 }' "$RESOURCES"
fi
case "$1 $2" in
  'deploy '*|'lambda get-account-settings'|'service-quotas '*|'dynamodb update-contributor-insights'|'backup list-'*)
    AWS_ENDPOINT_URL=$ACCEPTING;;
  # A file in the folder of the commands makes these calls go there, too.
  'events put-events') [ -e reject-events ] && AWS_ENDPOINT_URL=$ACCEPTING;;
  'lambda list-versions-by-function'|'lambda update-alias') [ -e many-versions ] && AWS_ENDPOINT_URL=$ACCEPTING;;
esac
# The URL of a queue would win over the variable.
exec "$REAL_AWS" --endpoint-url "$AWS_ENDPOINT_URL" "$@"`;

/** The responses of calls that moto lacks. */
const accepted: Record<string, object> = {
  GetDeploymentGroup: { deploymentGroupInfo: { alarmConfiguration: { alarms: [{ name: 'ApiErrors' }] } } },
  // The second event is rejected.
  PutEvents: {
    FailedEntryCount: 1,
    Entries: [{ EventId: '1' }, { ErrorCode: 'ThrottlingException', ErrorMessage: 'Later' }],
  },
};

/** Returns the time of a version, one of 119. Each is a minute younger than the one before. */
export const timeOfVersion = (version: number) => new Date(Date.UTC(2026, 0, 1, 0, version)).toISOString();

/** Returns a page of 120 versions of a function, at most fifty, as Lambda does. */
function versionsPage(url: URL): object {
  const all = Array.from({ length: 120 }, (_, version) => ({
    Version: version === 0 ? '$LATEST' : String(version),
    LastModified: timeOfVersion(version),
  }));
  const start = Number(url.searchParams.get('Marker') ?? 0);
  const end = start + 50;
  return { Versions: all.slice(start, end), ...(end < all.length && { NextMarker: String(end) }) };
}

/** True if the programs are installed; Python packages, which npm cannot install. */
export async function hasEmulator(): Promise<boolean> {
  const [moto, cli] = await Promise.allSettled([run('moto_server', ['--help']), run('aws', ['--version'])]);
  return moto.status === 'fulfilled' && cli.status === 'fulfilled';
}

const running: ChildProcess[] = [];
afterAll(() => {
  for (const each of running.splice(0)) each.kill('SIGKILL');
});

interface Played {
  /** Everything that the commands printed. */
  output: string;
}

export type EmulatedAws = Awaited<ReturnType<typeof emulatedAws>>;

const region = 'eu-central-1';

/** Starts moto with a deployment's stack. Functions have no code, and names are the ids of the template. */
export async function emulatedAws({ json }: Synthesized, stackName: string) {
  const port = await freePort();
  const moto = spawn('moto_server', ['-p', String(port)], { stdio: 'ignore' });
  running.push(moto);
  const endpoint = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 300 && !(await responds(endpoint)); tries += 1) await wait(100);
  const requests: { call: string; body: unknown }[] = [];
  const accepting = await listen(
    createServer(async (request, response) => {
      const body = Buffer.concat(await Array.fromAsync<Buffer>(request)).toString() || '{}';
      const url = new URL(request.url ?? '/', 'http://127.0.0.1');
      const [, call = ''] = String(request.headers['x-amz-target'] ?? '').split('.');
      requests.push({ call, body: JSON.parse(body) });
      const isVersions = url.pathname.endsWith('/versions');
      response.end(JSON.stringify(isVersions ? versionsPage(url) : (accepted[call] ?? {})));
    }),
  );
  const bin = await directory();
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: 'x',
    AWS_SECRET_ACCESS_KEY: 'x',
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_PAGER: '',
    // Programs on the path of commands: aws with a second endpoint, npm that runs a hurried command line, and
    // a cdk that only prints.
    PATH: `${bin}:${process.env.PATH}`,
    ACCEPTING: accepting,
    PROJECT: process.cwd(),
    RESOURCES: join(bin, 'resources'),
    REAL_AWS: await awsCli(),
    NODE: process.execPath,
  };
  const programs = {
    aws: awsProgram,
    npm: '[ "$1" = run ] || exit 1\nshift\n[ "$1" = --silent ] && shift\n[ "$1 $2" = "admin --" ] || exit 1\nshift 2\nexec "$NODE" "$PROJECT/test/hurried-admin.ts" "$@"',
    npx: 'echo "npx $*"',
    // The URLs of the pages are examples.
    curl: 'echo 401',
    // GitHub's API knows a repository with ids in its tokens if the file exists. Other calls are recorded.
    gh: '[ "$1 $2" = "api repos/your-organization/your-repository/actions/oidc/customization/sub" ] || exec printf "gh %s\\n" "$*"\n[ -e subject ] && cat subject || true',
  };
  for (const [name, text] of Object.entries(programs)) {
    await writeFile(join(bin, name), `#!/usr/bin/env bash\n${text}\n`);
    await chmod(join(bin, name), 0o755);
  }
  const folder = await directory();
  const resources = Object.entries(json.Resources as Record<string, Resource>); // as CloudFormation has it
  await writeFile(String(env.RESOURCES), resources.map(([id, { Type }]) => `${Type} ${id}\n`).join(''));
  const cli = async (...args: string[]): Promise<string> =>
    (await run('aws', args, { env, cwd: folder, maxBuffer: 1 << 26 })).stdout.trim();

  const template = join(folder, 'template.json');
  await writeFile(template, JSON.stringify(emulatedTemplate(json)));
  const document = JSON.stringify({ Version: '2012-10-17', Statement: [] });
  await cli('iam', 'create-role', '--role-name', 'function', '--assume-role-policy-document', document);
  await cli(
    'cloudformation',
    'create-stack',
    '--stack-name',
    stackName,
    '--template-body',
    `file://${template}`,
  );

  // The clients of tests do not sign.
  const dynamoDb = ownDynamoDb();
  const authorization = `AWS4-HMAC-SHA256 Credential=x/20260101/${region}/dynamodb/aws4_request, Signature=x`;
  dynamoDb.state.answer = async ({ headers, body }) => {
    const sent = { authorization, 'x-amz-target': String(headers['x-amz-target']) };
    const response = await fetch(endpoint, { method: 'POST', headers: sent, body });
    return { status: response.status, body: await response.text() };
  };

  /** Plays commands at a terminal, where a person answers each question with yes. */
  async function play(commands: string): Promise<Played> {
    const file = join(folder, 'commands.sh');
    await writeFile(file, `[ -e defined.sh ] && . ./defined.sh\nset -euo pipefail\n${commands}\n`);
    const child = spawn('script', ['-qefc', `bash ${file}`, '/dev/null'], { cwd: folder, env });
    let output = '';
    child.stdout.on('data', (data) => {
      output += data;
    });
    child.stdin.write('y\ny\ny\n');
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`The commands end with ${code}:\n${commands}\n${output}`);
    return { output };
  }

  return {
    cli,
    env,
    /** The URL of its DynamoDB for clients of this process. */
    endpoint: dynamoDb.endpoint,
    folder,
    /** The calls that moto lacks. */
    requests,
    play,
    /** Runs definitions once, for all commands that are played later. */
    define: (definitions: string) =>
      play(`${definitions}\n{ declare -p STACK TABLE; declare -f; } > defined.sh`),
  };
}

/** Returns the path of the AWS CLI. The shims of pyenv take a third of each call. */
async function awsCli(): Promise<string> {
  return (await run('bash', ['-c', 'pyenv which aws 2>/dev/null || command -v aws'])).stdout.trim();
}

async function freePort(): Promise<number> {
  const server = createServer();
  const url = await listen(server);
  server.close();
  return Number(new URL(url).port);
}

const responds = (url: string) =>
  fetch(url).then(
    () => true,
    () => false,
  );

interface Resource {
  Type: string;
  Properties: Record<string, unknown>;
}

/** Returns the resources that the commands of the pages name, in a form that moto creates. */
function emulatedTemplate({ Resources }: { Resources: Record<string, unknown> }) {
  const all = Object.entries(Resources as Record<string, Resource>); // as CloudFormation has it
  const role = 'arn:aws:iam::123456789012:role/function';
  const made = all.flatMap(([id, { Type, Properties }]): [string, Resource][] => {
    if (Type === 'AWS::SQS::Queue') return [[id, { Type, Properties: {} }]];
    if (Type === 'AWS::Logs::LogGroup') return [[id, { Type, Properties: { LogGroupName: id } }]];
    if (Type === 'AWS::Events::EventBus') return [[id, { Type, Properties: { Name: id } }]];
    if (Type === 'AWS::Lambda::Function') {
      const code = { Code: { ZipFile: '' }, Handler: 'index.handler', Role: role, Runtime: 'nodejs22.x' };
      return [[id, { Type, Properties: { FunctionName: id, ...code } }]];
    }
    if (Type !== 'AWS::DynamoDB::GlobalTable') return [];
    const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes } = Properties;
    const definition = { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes };
    const others = { BillingMode: 'PAY_PER_REQUEST', StreamSpecification: { StreamViewType: 'KEYS_ONLY' } };
    return [[id, { Type: 'AWS::DynamoDB::Table', Properties: { ...definition, ...others } }]];
  });
  const [[table = ''] = []] = made.filter(([, { Type }]) => Type === 'AWS::DynamoDB::Table');
  return { Resources: Object.fromEntries(made), Outputs: { TableName: { Value: { Ref: table } } } };
}
