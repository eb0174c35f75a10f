/** The commands `token issue`, `list` and `revoke`. */
import { randomInt } from 'node:crypto';
import { type Command, Option } from 'commander';
import * as v from 'valibot';
import { issueToken } from '../../../functions/accounts/issue-token.ts';
import type { TokenSummary } from '../../../functions/accounts/token-store.ts';
import { wholeNumber } from '../../../functions/domain/testimonial-filter.ts';
import { codePoints } from '../../../functions/domain/text.ts';
import { type Permission, permissions } from '../../../functions/domain/token.ts';
import {
  addCommand,
  type CommandContext,
  checkedBy,
  newOrganizationOption,
  organizationOption,
} from '../command-context.ts';
import { columns, displayed, oneLine } from '../terminal/formatting.ts';

const maxNameLength = 200;
const isOneLine = (name: string) => name.trim() !== '' && displayed(name) === name && !name.includes('\n');

const tokenName = v.pipe(
  v.string(),
  v.check(
    (name) => isOneLine(name) && codePoints(name) <= maxNameLength,
    `must be one line of 1 to ${maxNameLength} characters, without control characters`,
  ),
);

interface IssueOptions {
  organization: string;
  permission: Permission[];
  name?: string;
  expiresInDays?: number;
}

export function addTokenCommands(program: Command, context: CommandContext): void {
  const { organizationCommand, withOperator, show } = context;
  const token = addCommand(program, 'token');
  organizationCommand(token, 'token issue', newOrganizationOption())
    .addOption(
      new Option(
        '--permission <permission...>',
        'a permission of the token; may be repeated. testimonials:read-published, for tokens in web pages, must be the only one',
      )
        .choices(permissions)
        .makeOptionMandatory(),
    )
    .option('--name <name>', 'the name of the token, for lists and the log', checkedBy(tokenName))
    .option(
      '--expires-in-days <days>',
      'days until the token expires (default: never)',
      checkedBy(wholeNumber(1, 99_999)),
    )
    .run(async (session, { permission, ...rest }: IssueOptions) => {
      const issued = await issueToken({ ...session, randomInt }, { ...rest, permissions: permission });
      show({ token: issued }, () => issued);
    });
  addCommand(token, 'token list')
    .addOption(organizationOption('only the tokens of this organization'))
    .action(({ organization }: { organization?: string }) =>
      withOperator(async ({ tokens, organizations, now }) => {
        const names = organization === undefined ? await organizations.list() : [organization];
        const all = (await Promise.all(names.map((name) => tokens.list(name)))).flat();
        show(all, () => tokenTable(all, now()));
      }),
    );
  addCommand(token, 'token revoke')
    .argument('<id>', 'id of the token, from token list')
    .action((id: string) =>
      withOperator(async ({ tokens }) => {
        if (!(await tokens.revoke(id)))
          throw new Error(`There is no token ${id}. To see the tokens, run: npm run admin -- token list`);
        show({ id, revoked: true }, () => `${id} revoked`);
      }),
    );
}

function tokenTable(tokens: TokenSummary[], now: Date): string {
  if (tokens.length === 0) return 'No tokens.';
  const rows = tokens.map(({ id, name, permissions: allowed, createdAt, expiresAt }) => [
    id,
    oneLine(name ?? ''),
    allowed.join(' '),
    createdAt,
    expiresAt === undefined ? 'never' : Date.parse(expiresAt) <= now.getTime() ? 'expired' : expiresAt,
  ]);
  return columns([['ID', 'NAME', 'PERMISSIONS', 'CREATED', 'EXPIRES'], ...rows]);
}
