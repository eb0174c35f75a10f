/** The operator's commands on people who moderate at the desk of the deployment. */
import { randomInt } from 'node:crypto';
import { type Command, InvalidArgumentError } from 'commander';
import * as v from 'valibot';
import { type Person, personName } from '../../../functions/domain/person.ts';
import type { TokenSummary } from '../../../functions/domain/stores.ts';
import { linkOf } from '../../../functions/serve-desk/parts/base.ts';
import {
  endSessions,
  invitationDays,
  inviteAgain,
  invitePerson,
} from '../../../functions/serve-desk/people.ts';
import {
  type CommandContext,
  exampleText,
  organizationCommand,
  organizationOption,
} from '../command-context.ts';
import { sessionOf } from '../session.ts';
import { columns, counted, oneLine } from '../terminal/formatting.ts';
import { agrees } from '../terminal/interruptible.ts';

/** Adds `desk invite`, `desk people`, `desk remove` and `desk end-sessions`. */
export function addPeopleCommands(desk: Command, context: CommandContext): void {
  addInviteCommand(desk, context);
  addListCommand(desk, context);
  addRemoveCommand(desk, context);
  addEndSessionsCommand(desk, context);
}

interface InviteOptions {
  organization: string;
  name?: string;
  person?: string;
  mayErase: boolean;
  url?: string;
}

function addInviteCommand(desk: Command, { io, onOrganization, show }: CommandContext): void {
  organizationCommand(desk, {
    name: 'invite',
    description: `Invite a person to the desk of the deployment: a link that opens once, within ${invitationDays} days`,
    examples: [
      'desk invite --organization acme --name Ann --url https://api.example.com',
      'desk invite --organization acme --name Ben --may-erase',
      'desk invite --organization acme --person 4fGhT2kLm9',
    ],
  })
    .option('--name <name>', 'the name by which others know the person', readName)
    .option('--person <id>', 'another link for somebody who is there, from desk people')
    .option('--may-erase', 'lets the person erase testimonials as well', false)
    .option('--url <address>', 'address of the deployment; TESTIMONIALS_URL by default', readUrl)
    .action(({ organization, name, person: id, mayErase, url }: InviteOptions) =>
      onOrganization(organization, async (session) => {
        if ((name === undefined) === (id === undefined)) throw new Error('Give either --name or --person.');
        if (id !== undefined && mayErase) {
          throw new Error(
            'What a person may do is said when they are invited first: give --may-erase with --name.',
          );
        }
        const deps = { ...session, randomInt };
        const known = id === undefined ? undefined : await session.desks.findPerson(organization, id);
        if (id !== undefined && !known) throw new Error(nobodyText(organization, id));
        if (!known) {
          await session.warnOfUnknown();
          // By it `desk end-sessions --all` finds the person.
          await session.organizations.add(organization);
        }
        const { person, secret } = known
          ? { person: known, secret: await inviteAgain(deps, known) }
          : await invitePerson(deps, { organization, name: name ?? '', mayErase });
        const address = url ?? io.variables.TESTIMONIALS_URL;
        const link = linkOf(address ?? 'https://YOUR-API', secret);
        show({ person: person.id, link }, () =>
          [
            `${oneLine(person.name)} (${person.id}) opens the desk of ${organization} by this link, once, within ${invitationDays} days:`,
            link,
            ...(address === undefined
              ? ['Put the address of your deployment in it, or give it by --url.']
              : []),
          ].join('\n'),
        );
      }),
    );
}

function addListCommand(desk: Command, { onOrganization, show }: CommandContext): void {
  organizationCommand(desk, {
    name: 'people',
    description: 'List who may open the desk of the deployment',
    examples: ['desk people --organization acme'],
  }).action(({ organization }: { organization: string }) =>
    onOrganization(organization, async ({ desks, warnOfUnknown }) => {
      const people = await desks.listPeople(organization);
      if (people.length === 0) await warnOfUnknown();
      const found = people.toSorted((a, b) => (a.invitedAt < b.invitedAt ? -1 : 1));
      show(found, () => peopleTable(found));
    }),
  );
}

function addRemoveCommand(desk: Command, { io, isJson, onOrganization, show }: CommandContext): void {
  organizationCommand(desk, {
    name: 'remove',
    description: 'Remove a person from the desk, within 60 seconds, with every session and open invitation',
    examples: [
      'desk remove 4fGhT2kLm9 --organization acme',
      'desk remove 4fGhT2kLm9 --organization acme --revoke-tokens',
    ],
  })
    .argument('<id>', 'id of the person, from desk people')
    .option('--revoke-tokens', 'also revokes the tokens that the person made at the desk', false)
    .action((id: string, { organization, revokeTokens }: { organization: string; revokeTokens: boolean }) =>
      onOrganization(organization, async ({ desks, tokens }) => {
        const removed = await desks.removePerson(organization, id);
        const made = (await tokens.list(organization)).filter(({ madeBy }) => madeBy === id);
        if (!removed && made.length === 0) throw new Error(nobodyText(organization, id));
        const asked = isJson() ? undefined : io.person;
        if (!isJson()) io.print(`${id} removed${removed ? '' : ' before'}`);
        if (!isJson() && made.length > 0) io.print(madeTable(made));
        const question = `Revoke ${counted(made.length, 'token')}? A page with a revoked token shows nothing.`;
        const isWanted = async () => revokeTokens || (asked !== undefined && (await agrees(asked, question)));
        const revoked = made.length > 0 && (await isWanted());
        if (revoked) for (const token of made) await tokens.revoke(token.id);
        show({ id, removed, tokens: made, revoked }, () => {
          if (made.length === 0) return undefined;
          return revoked ? `${counted(made.length, 'token')} revoked` : keptText;
        });
      }),
    );
}

function addEndSessionsCommand(desk: Command, { io, withOperator, show }: CommandContext): void {
  desk
    .command('end-sessions')
    .description('End all sessions and open invitations, within 60 seconds: a part of every restore')
    .addOption(organizationOption('those of this organization'))
    .option('--all', 'those of all organizations', false)
    .addHelpText(
      'after',
      exampleText([
        'desk end-sessions --organization acme',
        'desk end-sessions --all --table testimonials-restored',
      ]),
    )
    .action(({ organization, all }: { organization?: string; all: boolean }) =>
      withOperator(async (operator) => {
        const { desks, organizations, now } = operator;
        if ((organization !== undefined) === all) throw new Error('Give either --organization or --all.');
        const names = organization === undefined ? await organizations.list() : [organization];
        const ended: { organization: string; people: number }[] = [];
        for (const name of names) {
          const people = await desks.listPeople(name);
          for (const person of people) await endSessions({ desks, now, randomInt }, person);
          if (people.length > 0) ended.push({ organization: name, people: people.length });
        }
        const count = ended.reduce((sum, { people }) => sum + people, 0);
        if (organization !== undefined && count === 0)
          await sessionOf(operator, organization, io).warnOfUnknown();
        show(ended, () =>
          count === 0
            ? 'Nobody is invited.'
            : `The sessions and open invitations of ${counted(count, 'person', 'people')} end within 60 seconds. Let them in again by desk invite --person.`,
        );
      }),
    );
}

const keptText =
  'Nothing is revoked: revoke some by token revoke, or all of them by this command with --revoke-tokens.';

function madeTable(tokens: readonly TokenSummary[]): string {
  const rows = tokens.map(({ id, name = '', createdAt }) => [id, oneLine(name), createdAt]);
  return `Made at the desk, and still valid:\n${columns([['ID', 'NAME', 'CREATED'], ...rows])}`;
}

function peopleTable(people: readonly Person[]): string {
  if (people.length === 0) return 'Nobody is invited.';
  const rows = people.map(({ id, name, mayErase, invitedAt, seenAt = 'never' }) => [
    id,
    oneLine(name),
    mayErase ? 'moderate, erase' : 'moderate',
    invitedAt,
    seenAt,
  ]);
  return columns([['ID', 'NAME', 'MAY', 'INVITED', 'LAST HERE'], ...rows]);
}

function nobodyText(organization: string, id: string): string {
  return `Nobody at the desk of ${organization} has the id ${id}: see desk people.`;
}

function readName(value: string): string {
  const { success, output, issues } = v.safeParse(personName, value);
  if (success) return output;
  throw new InvalidArgumentError(`It ${issues[0].message}.`);
}

function readUrl(value: string): string {
  // The link has its own path and secret behind it.
  if (URL.canParse(value) && /^https?:\/\/[^/?#]+\/?$/.test(value)) return value;
  throw new InvalidArgumentError(
    'It must be the URL of the API, like https://api.example.com, without a path.',
  );
}
