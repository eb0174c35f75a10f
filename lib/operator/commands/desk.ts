/** `desk`: the people at the desk of the deployment. */
import { randomInt } from 'node:crypto';
import type { Command } from 'commander';
import { type Pass, type Person, personName } from '../../../functions/domain/person.ts';
import {
  endSessions,
  invitationDays,
  invitationLink,
  inviteAgain,
  invitePerson,
  validPasses,
} from '../../../functions/serve-desk/people.ts';
import {
  addCommand,
  apiOf,
  type CommandContext,
  checkedBy,
  newOrganizationOption,
  organizationOption,
  urlOption,
} from '../command-context.ts';
import { sessionOf } from '../session.ts';
import { columns, counted, joined, oneLine } from '../terminal/formatting.ts';

export function addDeskCommands(program: Command, context: CommandContext): void {
  const desk = addCommand(program, 'desk');
  addInviteCommand(desk, context);
  context
    .organizationCommand(desk, 'desk people')
    .run(async ({ desks, organization, warnOfUnknown, show }) => {
      const people = await desks.listPeople(organization);
      if (people.length === 0) await warnOfUnknown();
      people.sort((a, b) => (a.invitedAt < b.invitedAt ? -1 : 1));
      show(people, () => peopleTable(people));
    });
  addRemoveCommand(desk, context);
  addEndSessionsCommand(desk, context);
}

interface InviteOptions {
  name?: string;
  person?: string;
  mayErase: boolean;
  owner: boolean;
  url?: string;
}

function addInviteCommand(desk: Command, { organizationCommand }: CommandContext): void {
  organizationCommand(desk, 'desk invite', newOrganizationOption())
    .option('--name <name>', 'name of the person, visible to the others', checkedBy(personName))
    .option('--person <id>', 'id of an invited person, from desk people, for another link')
    .option('--may-erase', 'allow the person to erase testimonials', false)
    .addOption(urlOption())
    .option('--owner', 'make the person an owner, who can do everything', false)
    .run(async (session, { name, person: id, mayErase, owner, url }: InviteOptions) => {
      const { organization, io, show } = session;
      if ((name === undefined) === (id === undefined)) throw new Error('Add either --name or --person.');
      if (id !== undefined && (mayErase || owner)) {
        const option = owner ? '--owner' : '--may-erase';
        throw new Error(`${option} applies to new people only: use it with --name, not with --person.`);
      }
      const deps = { ...session, randomInt };
      let invited: { person: Person; secret: string };
      if (id === undefined) {
        await session.warnOfUnknown();
        // `desk end-sessions --all` reads the list of organizations.
        await session.organizations.add(organization);
        const role = owner ? 'owner' : 'moderator';
        const fields = { organization, name: name ?? '', role, mayErase: mayErase || owner } as const;
        invited = await invitePerson(deps, fields);
      } else {
        const person = await session.desks.findPerson(organization, id);
        if (!person) throw new Error(unknownText(organization, id));
        invited = { person, secret: await inviteAgain(deps, person) };
      }
      const { person, secret } = invited;
      const { api, advice } = apiOf(io, url);
      const link = invitationLink(api, secret);
      show({ person: person.id, link }, () =>
        joined([
          `Send this link to ${oneLine(person.name)} (${person.id}). It opens the desk of ${organization} once, within ${invitationDays} days:`,
          link,
          advice,
        ]),
      );
    });
}

function addRemoveCommand(desk: Command, { organizationCommand, show }: CommandContext): void {
  organizationCommand(desk, 'desk remove')
    .argument('<id>', 'id of the person, from desk people')
    .run(async (session, id: string) => {
      const { desks, organization } = session;
      const people = await desks.listPeople(organization);
      const passes = (await validPasses(session, organization, people)).filter((pass) => isMadeFor(pass, id));
      const removed = await desks.removePerson(organization, id);
      if (!removed) throw new Error(unknownText(organization, id));
      await desks.removePasskeys(organization, id);
      show({ id, removed, ended: passes.map(endedPass) }, () =>
        joined([passes.length > 0 && passTable(passes, people), `${id} removed`]),
      );
    });
}

function addEndSessionsCommand(desk: Command, { io, withOperator, show }: CommandContext): void {
  addCommand(desk, 'desk end-sessions')
    .addOption(organizationOption('only those of this organization'))
    .option('--all', 'those of all organizations', false)
    .action(({ organization, all }: { organization?: string; all: boolean }) =>
      withOperator(async (operator) => {
        const { desks, organizations, now } = operator;
        if ((organization !== undefined) === all)
          throw new Error('Add either --organization <name> or --all.');
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
            ? 'Nobody is invited yet.'
            : `The sessions, passkeys, invitations and feeds of ${counted(count, 'person', 'people')} end within 60 seconds. Send each person a new link: npm run admin -- desk invite --organization ${organization ?? '<name>'} --person <id>`,
        );
      }),
    );
}

/** True for the link or session of another person that a person's link led to. */
function isMadeFor({ person, makers = [] }: Pass, id: string): boolean {
  return person !== id && makers.includes(id);
}

function endedPass({ kind, person, createdAt }: Pass) {
  return { kind, person, createdAt };
}

function passTable(passes: readonly Pass[], people: readonly Person[]): string {
  const nameOf = (pass: Pass) => people.find(({ id }) => id === pass.person)?.name ?? '';
  const rows = passes.map((pass) => [pass.person, oneLine(nameOf(pass)), pass.kind, pass.createdAt]);
  return `Also ended, because the person's links led to them:\n${columns([['ID', 'NAME', 'KIND', 'CREATED'], ...rows])}`;
}

function peopleTable(people: readonly Person[]): string {
  if (people.length === 0) return 'Nobody is invited yet.';
  const rows = people.map(({ id, name, role, mayErase, invitedAt, seenAt = 'never' }) => [
    id,
    oneLine(name),
    role === 'owner' ? 'everything' : mayErase ? 'moderate, erase' : 'moderate',
    invitedAt,
    seenAt,
  ]);
  return columns([['ID', 'NAME', 'MAY', 'INVITED', 'LAST SEEN'], ...rows]);
}

function unknownText(organization: string, id: string): string {
  return `No person at the desk of ${organization} has the id ${id}. To see the ids, run: npm run admin -- desk people --organization ${organization}`;
}
