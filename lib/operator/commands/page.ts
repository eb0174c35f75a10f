/** The commands `page create`, `list`, `show`, `edit` and `remove`. */
import { randomInt } from 'node:crypto';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Brand } from '../../../functions/domain/brand.ts';
import {
  type Page,
  type PageKind,
  pageKinds,
  pageTitle,
  pathOfPage,
  pinnedBy,
} from '../../../functions/domain/page.ts';
import { isTestimonialId } from '../../../functions/domain/testimonial-id.ts';
import { capital } from '../../../functions/domain/wording.ts';
import {
  checkPageSettings,
  createPage,
  editPage,
  linksOf,
  pageDefaults,
  pageSettings,
} from '../../../functions/serve-pages/own-pages.ts';
import { maxPinned } from '../../../functions/serve-pages/wall-settings.ts';
import {
  addCommand,
  apiOf,
  type CommandContext,
  checkedBy,
  newOrganizationOption,
  RepeatableOption,
  urlOption,
} from '../command-context.ts';
import type { OrganizationTools } from '../session.ts';
import { columns, displayed, joined, oneLine } from '../terminal/formatting.ts';
import { confirm } from '../terminal/interruptible.ts';

interface PageCommandOptions {
  kind: PageKind;
  title: string;
  set?: Page['settings'];
  url?: string;
}

export function addPageCommands(program: Command, context: CommandContext): void {
  const { organizationCommand } = context;
  const page = addCommand(program, 'page');
  addCreateCommand(page, context);
  organizationCommand(page, 'page list').run(async ({ organization, pages, warnOfUnknown, show }) => {
    const all = (await pages.list(organization)).map((each) => ({ ...each, path: pathOfPage(each) }));
    if (all.length === 0) await warnOfUnknown();
    const rows = all.map(({ id, kind, createdAt, path, title }) => [
      id,
      kind,
      createdAt,
      path,
      oneLine(title),
    ]);
    const table = () => columns([['ID', 'KIND', 'CREATED', 'PATH', 'TITLE'], ...rows]);
    show(all, () => (all.length === 0 ? 'No pages.' : table()));
  });
  organizationCommand(page, 'page show')
    .argument('<id>', 'id of the page, from page list')
    .addOption(urlOption())
    .run(async (session, id: string, { url }: PageCommandOptions) => {
      const current = await findPage(session, id);
      const { api, advice } = apiOf(session.io, url);
      const brand = await session.pages.findBrand(session.organization);
      session.show(shownPage(current, api, brand), () =>
        joined([linksText(current, api, brand), advice, settingsTable(current)], '\n\n'),
      );
    });
  addEditCommand(page, context);
  organizationCommand(page, 'page remove')
    .argument('<id>', 'id of the page, from page list')
    .option('--yes', 'do not ask')
    .run(async (session, id: string, { yes = false }: { yes?: boolean }) => {
      const { organization, pages, show, io } = session;
      // With --yes, also finishes a removal that stopped halfway.
      if (!yes) {
        const { kind, title } = await findPage(session, id);
        const question = `Remove the ${kind} “${oneLine(title)}” of ${organization}? Its URL stops working for good.`;
        await confirm(io, question, yes);
      }
      if (!(await pages.remove({ organization, id }))) throw new Error(unknownText(session, id));
      show(
        { id, removed: true },
        () => `${id} removed. Its URL responds with 404 within 60 seconds. Its testimonials stay.`,
      );
    });
}

function addCreateCommand(page: Command, { io, organizationCommand, show }: CommandContext): void {
  organizationCommand(page, 'page create', newOrganizationOption())
    .addOption(new Option('--kind <kind>', 'kind of page').choices(pageKinds).makeOptionMandatory())
    .addOption(titleOption().makeOptionMandatory())
    .addOption(setOption())
    .addOption(urlOption())
    .addHelpText('after', settingsHelp())
    .run(async (session, { set = {}, url, kind, title }: PageCommandOptions) => {
      const { organization } = session;
      await session.warnOfUnknown();
      await checkPinned(session, set);
      const fields = { organization, kind, title, settings: set };
      const created = await createPage({ ...session, randomInt }, fields);
      const { api, advice } = apiOf(io, url);
      const brand = await session.pages.findBrand(organization);
      show(shownPage(created, api, brand), () => joined([linksText(created, api, brand), advice], '\n\n'));
    });
}

function addEditCommand(page: Command, { organizationCommand, show }: CommandContext): void {
  organizationCommand(page, 'page edit')
    .argument('<id>', 'id of the page, from page list')
    .addOption(titleOption())
    .addOption(setOption())
    .addHelpText('after', settingsHelp())
    .run(async (session, id: string, { title, set }: Partial<PageCommandOptions>) => {
      if (title === undefined && set === undefined) throw new Error('Pass --title or --set.');
      const { organization, pages } = session;
      await checkPinned(session, set);
      const edited = await editPage(pages, { id, organization }, (current) => {
        const { kind, settings: stored } = current;
        const settings = checkPageSettings({ kind, settings: { ...stored, ...set } }, stored);
        return { ...current, title: title ?? current.title, settings };
      });
      if (!edited) throw new Error(unknownText(session, id));
      // Running functions cache a page for a minute, and caches keep a wall for another.
      show(edited, () => `${id} changed. Visitors see it within two minutes.`);
    });
}

/** @throws if a setting pins a testimonial that the organization does not have; malformed ids fail later */
async function checkPinned(
  { finds, organization }: OrganizationTools,
  settings: Page['settings'] = {},
): Promise<void> {
  const pinned = pinnedBy({ settings });
  if (pinned.length === 0 || pinned.length > maxPinned) return;
  const rows = await finds.findMany(pinned);
  const unknown = pinned.find(
    (id) => !rows.some(({ testimonial }) => testimonial.id === id) && isTestimonialId(id),
  );
  if (unknown)
    throw new Error(`pinned must only contain testimonials of ${organization}, which has no ${unknown}`);
}

/** @throws if the organization has no such page */
async function findPage(session: OrganizationTools, id: string): Promise<Page> {
  const current = await session.pages.find(id);
  if (current?.organization !== session.organization) throw new Error(unknownText(session, id));
  return current;
}

function unknownText({ organization }: OrganizationTools, id: string): string {
  return `There is no page ${id} of ${organization}. To see its pages, run: npm run admin -- page list --organization ${organization}`;
}

function shownPage(page: Page, api: string, brand: Brand) {
  return { ...page, ...linksOf(page, api, brand) };
}

function linksText(page: Page, api: string, brand: Brand): string {
  const { url, snippet, iframe } = linksOf(page, api, brand);
  return joined([
    `${capital(page.kind)} ${page.id} of ${page.organization}: ${oneLine(page.title)}`,
    url,
    '',
    'To show it on a website:',
    displayed(snippet),
    '',
    'To show it in a frame:',
    displayed(iframe),
  ]);
}

function settingsTable({ kind, settings }: Page): string {
  const rows = Object.entries(pageSettings[kind]).map(([name, { meaning }]) => {
    const standard = pageDefaults[kind][name];
    return [name, meaning, oneLine(settings[name] ?? (standard ? `${standard} (default)` : ''))];
  });
  return columns([['SETTING', 'MEANING', 'VALUE'], ...rows]);
}

function settingsHelp(): string {
  const sections = pageKinds.map((kind) => {
    const rows = Object.entries(pageSettings[kind]).map(([name, { meaning }]) => [`  ${name}`, meaning]);
    return `\nSettings of a ${kind}:\n${columns(rows)}`;
  });
  return sections.join('\n');
}

function titleOption(): Option {
  return new Option('--title <title>', 'title that visitors see').argParser(checkedBy(pageTitle));
}

function setOption(): Option {
  return new RepeatableOption(
    '--set <name=value>',
    'a setting; an empty value restores the default; may be repeated',
  ).argParser((pair: string, all: Page['settings'] = {}) => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    if (name === undefined || value === undefined)
      throw new InvalidArgumentError('Write the name of a setting, = and its value.');
    if (Object.hasOwn(all, name)) throw new InvalidArgumentError(`${name} already has a --set.`);
    return { ...all, [name]: value };
  });
}
