/** The operator's command line. */
import { randomInt } from 'node:crypto';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { changeStatus, findTestimonial } from '../../functions/domain/change-status.ts';
import { issueToken } from '../../functions/domain/issue-token.ts';
import type { TokenSummary } from '../../functions/domain/stores.ts';
import type { Status, Testimonial } from '../../functions/domain/testimonial.ts';
import { type Permission, permissions } from '../../functions/domain/token.ts';
import { packageVersion } from '../package-version.ts';
import { seedOrganization } from '../sample-data/seed.ts';
import { addIndexCommands } from './index-commands.ts';
import {
  interruptible,
  type Operator,
  operatorOf,
  organizationOption,
  PartlyFailed,
  type ProgramIo,
  type Show,
  type WithOperator,
} from './program-io.ts';
import { addStatsCommand } from './stats-command.ts';
import { openTarget, type TargetOptions } from './target.ts';
import { columns, counted } from './text.ts';

type GlobalOptions = TargetOptions & { json?: true };

/** Builds the program. Commands throw what goes wrong. */
export function operatorProgram(io: ProgramIo): Command {
  const program = new Command('admin')
    .description("The operator's command line of the Testimonials API")
    .version(packageVersion(), '--version', 'print the version')
    .option('--table <name>', 'table on AWS, reached with the ambient credentials')
    .option('--endpoint <url>', 'another DynamoDB than the running local service')
    .option('--json', 'print JSON, for scripts')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => io.print(text.trimEnd()),
      writeErr: (text) => io.printError(text.trimEnd()),
      outputError: () => {},
    })
    .exitOverride();

  const globals = () => program.opts<GlobalOptions>();
  const withOperator: WithOperator = async (work) => {
    const table = openTarget(globals(), io.variables);
    try {
      await work(await operatorOf(table));
    } finally {
      table.client.destroy();
    }
  };
  const show: Show = (value, text) => io.print(globals().json ? JSON.stringify(value, null, 2) : text());

  const token = group(program, 'token', 'Issue, list and revoke API tokens');
  token
    .command('issue')
    .description('Issue a token and print it; it is shown only now')
    .addOption(organizationOption().makeOptionMandatory())
    .addOption(
      new Option('--permission <permission...>', 'what the token allows; may be repeated')
        .choices(permissions)
        .makeOptionMandatory(),
    )
    .option('--name <name>', 'what the token is for')
    .option('--expires-in-days <days>', 'days until the token expires; without it, it does not', wholeDays)
    .action(
      (options: { organization: string; permission: Permission[]; name?: string; expiresInDays?: number }) =>
        withOperator(async (operator) => {
          const { permission, ...rest } = options;
          const request = { ...rest, permissions: permission };
          const issued = await issueToken({ ...operator, randomInt }, request);
          show({ token: issued }, () => issued);
        }),
    );
  token
    .command('list')
    .description('List tokens, without their secrets')
    .addOption(organizationOption('only the tokens of this organization'))
    .action(({ organization }: { organization?: string }) =>
      withOperator(async ({ tokens, organizations, now }) => {
        const names = organization === undefined ? await organizations.list() : [organization];
        const found = (await Promise.all(names.map((name) => tokens.list(name)))).flat();
        show(found, () => tokenTable(found, now()));
      }),
    );
  token
    .command('revoke')
    .description('Revoke a token; a running function may honour it for another 60 seconds')
    .argument('<id>', 'id of the token, from token list')
    .action((id: string) =>
      withOperator(async ({ tokens }) => {
        if (!(await tokens.revoke(id))) throw new Error(`There is no token ${id}: see token list.`);
        show({ id, revoked: true }, () => `${id} revoked`);
      }),
    );

  const testimonial = group(program, 'testimonial', 'Moderate and look at testimonials');
  for (const [command, status] of Object.entries({ approve: 'approved', reject: 'rejected' } as const)) {
    testimonial
      .command(command)
      .description(`Set the status of testimonials to ${status}`)
      .argument('<id...>', 'ids of testimonials')
      .addOption(organizationOption().makeOptionMandatory())
      .action((ids: string[], { organization }: { organization: string }) =>
        withOperator((operator) => moderate(operator, organization, ids, status)),
      );
  }
  testimonial
    .command('show')
    .description('Show one testimonial')
    .addArgument(new Argument('<id>', 'id of the testimonial'))
    .addOption(organizationOption().makeOptionMandatory())
    .action((id: string, { organization }: { organization: string }) =>
      withOperator(async ({ testimonials }) => {
        const { testimonial: found } = await findTestimonial(testimonials, organization, id);
        show(found, () => testimonialText(found));
      }),
    );

  addStatsCommand(program, withOperator, show);
  addIndexCommands(program, io, withOperator, show);

  program
    .command('seed')
    .description('Fill an organization with generated testimonials')
    .addOption(organizationOption().makeOptionMandatory())
    .option('--count <number>', 'how many', wholeCount, 1000)
    .action(({ organization, count }: { organization: string; count: number }) =>
      withOperator(async (operator) => {
        await operator.organizations.add(organization);
        const whatNext =
          'Lists have what was stored, and the index function indexes it: index status says how far. ' +
          'Another seed adds more.';
        await interruptible(io, whatNext, () =>
          seedOrganization({ ...operator, progress: io.printError }, organization, count),
        );
        show({ organization, count }, () => `${counted(count, 'testimonial')} added to ${organization}`);
      }),
    );

  async function moderate(
    operator: Operator,
    organization: string,
    ids: string[],
    status: Status,
  ): Promise<void> {
    const changed: Testimonial[] = [];
    let failures = 0;
    for (const id of new Set(ids)) {
      try {
        const next = await changeStatus(operator, organization, id, status);
        changed.push(next);
        if (!globals().json) io.print(`${id} ${status}`);
      } catch (error) {
        if (!(error instanceof Error && error.name === 'TestimonialNotFound')) throw error;
        failures += 1;
        io.printError(error.message);
      }
    }
    if (globals().json) io.print(JSON.stringify(changed, null, 2));
    if (failures > 0) throw new PartlyFailed();
  }

  return program;
}

function group(program: Command, name: string, description: string): Command {
  return program.command(name).description(description);
}

function wholeDays(value: string): number {
  if (!/^[1-9]\d{0,4}$/.test(value)) {
    throw new InvalidArgumentError('It must be a whole number of days from 1 to 99999.');
  }
  return Number(value);
}

function wholeCount(value: string): number {
  if (!/^[1-9]\d{0,6}$/.test(value)) {
    throw new InvalidArgumentError('It must be a whole number from 1 to 9999999.');
  }
  return Number(value);
}

function tokenTable(tokens: TokenSummary[], now: Date): string {
  if (tokens.length === 0) return 'No tokens.';
  const rows = tokens.map(({ id, name, permissions: allowed, createdAt, expiresAt }) => [
    id,
    name ?? '',
    allowed.join(' '),
    createdAt,
    expiresAt === undefined ? 'never' : Date.parse(expiresAt) <= now.getTime() ? 'expired' : expiresAt,
  ]);
  return columns([['ID', 'NAME', 'PERMISSIONS', 'CREATED', 'EXPIRES'], ...rows]);
}

function testimonialText({
  id,
  content,
  author,
  rating,
  type,
  status,
  tags,
  createdAt,
  updatedAt,
}: Testimonial) {
  const company = author.company === undefined ? '' : `, ${author.company}`;
  return [
    `${id}  ${status}  ${type}  ${rating === undefined ? 'unrated' : `${rating}/5`}`,
    `${author.name} <${author.email}>${company}`,
    ...(tags && tags.length > 0 ? [`tags: ${tags.join(', ')}`] : []),
    `created ${createdAt}, updated ${updatedAt}`,
    '',
    content,
  ].join('\n');
}
