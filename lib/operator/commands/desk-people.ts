/** The operator's commands on people who moderate at the desk of the deployment. */
import { randomInt } from 'node:crypto';
import { type Command, InvalidArgumentError } from 'commander';
import * as v from 'valibot';
import { type Person, personName } from '../../../functions/domain/person.ts';
import { invitationDays, inviteAgain, invitePerson } from '../../../functions/operations/desk-people.ts';
import { linkOf } from '../../../functions/serve-desk/base.ts';
import { type CommandContext, organizationCommand } from '../command-context.ts';
import { columns, oneLine } from '../terminal/formatting.ts';

/** Adds `desk invite`, `desk people` and `desk remove`. */
export function addPeopleCommands(desk: Command, context: CommandContext): void {
  addInviteCommand(desk, context);
  addListCommand(desk, context);
  addRemoveCommand(desk, context);
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
        if (!known) await session.warnOfUnknown();
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
    onOrganization(organization, async ({ desks }) => {
      const people = await desks.listPeople(organization);
      const found = people.toSorted((a, b) => (a.invitedAt < b.invitedAt ? -1 : 1));
      show(found, () => peopleTable(found));
    }),
  );
}

function addRemoveCommand(desk: Command, { onOrganization, show }: CommandContext): void {
  organizationCommand(desk, {
    name: 'remove',
    description: 'Remove a person from the desk, within 60 seconds, with every session and open invitation',
    examples: ['desk remove 4fGhT2kLm9 --organization acme'],
  })
    .argument('<id>', 'id of the person, from desk people')
    .action((id: string, { organization }: { organization: string }) =>
      onOrganization(organization, async ({ desks }) => {
        if (!(await desks.removePerson(organization, id))) throw new Error(nobodyText(organization, id));
        show({ id, removed: true }, () => `${id} removed`);
      }),
    );
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
  if (URL.canParse(value) && /^https?:/.test(value)) return value;
  throw new InvalidArgumentError('It must be an address like https://api.example.com.');
}
