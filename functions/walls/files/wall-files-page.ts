/** The desk's page about static walls: a preview, the files, and the command that writes them. */
import { zipSync } from 'fflate';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { html } from 'hono/html';
import type { ListDependencies } from '../../operations/list-testimonials.ts';
import { deskPath } from '../../serve-desk/parts/assets.ts';
import { type DeskEnv, type DeskPages, showPage } from '../../serve-desk/parts/desk.ts';
import { field, fieldOf } from '../../serve-desk/parts/filter-form.ts';
import { listQueryOf, parametersIn } from '../../serve-desk/parts/forms.ts';
import type { Html } from '../../serve-desk/parts/layout.ts';
import { wallParameters } from '../settings.ts';
import { settingFields, settingsIn, typedSettings } from '../wall-fields.ts';
import { makeWall } from './read-wall.ts';
import { contentSecurityPolicy, wallFile, wallFiles } from './wall-files.ts';

/** The command's default number of testimonials. */
const count = 500;

// A static wall has a count instead of a limit.
const names = wallParameters.filter((name) => name !== 'limit');

// Stands for `--pick tags=…`.
const firstTags = 'first';

const settings = ['title', ...typedSettings] as const;

interface WallSource {
  organization: string;
  /** `refuseWhileLoading` throws while an import is running. */
  session: () => ListDependencies & { refuseWhileLoading: () => Promise<void> };
}

/** Replaces the desk's headers with those of a wall in a frame of the desk. */
export const wallHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  if (!c.req.path.includes('/built/')) return;
  c.header('content-security-policy', `${contentSecurityPolicy}; frame-ancestors 'self'`);
  c.header('x-frame-options', 'SAMEORIGIN');
};

/**
 * The preview's files are built on request; their path contains the wall's parameters.
 * @param shellText quotes words for a shell
 */
export function wallFilesPages(desk: WallSource, shellText: (words: readonly string[]) => string): DeskPages {
  const { organization } = desk;
  const searchIn = (c: Context) => parametersIn(c.req.url, [...names, firstTags, ...settings]);
  const build = async (search: URLSearchParams): Promise<Partial<Record<string, string>>> => {
    const { content, settings } = readWallQuery(search);
    const about = { type: 'Organization', name: organization } as const;
    return (await makeWall(desk.session(), organization, content, { about, settings })).built;
  };
  return new Hono<DeskEnv>()
    .get('/', async (c) => {
      const search = searchIn(c);
      const command = `npm run admin -- ${shellText(commandOf(organization, search))}`;
      await desk.session().refuseWhileLoading();
      return showPage(c, 'wallFiles', wallPage(search, command));
    })
    .get('/built/:search/:file', async (c) => {
      const { search, file } = c.req.param();
      const type = new Map<string, string>(Object.entries(wallFiles)).get(file);
      if (type === undefined || !search.startsWith('?')) return c.notFound();
      const built = /^(index|testimonials)\./.test(file) ? await build(new URLSearchParams(search)) : {};
      return c.body(Buffer.from(built[file] ?? (await wallFile(file))), 200, { 'content-type': type });
    })
    .get('/zip', async (c) => {
      const built = await build(searchIn(c));
      const files = Object.keys(wallFiles).map(async (name) => [
        name,
        Buffer.from(built[name] ?? (await wallFile(name))),
      ]);
      c.header('content-disposition', `attachment; filename="${organization}-wall.zip"`);
      const zipped = zipSync(Object.fromEntries(await Promise.all(files)));
      return c.body(new Uint8Array(zipped), 200, { 'content-type': 'application/zip' });
    });
}

/**
 * Reads the parameters of a wall; `where` and `pick` are the command's options.
 * @throws {BadForm}
 */
function readWallQuery(search: URLSearchParams) {
  const where = new URLSearchParams([...search].filter(([name]) => names.some((each) => each === name)));
  const tags = search.getAll(firstTags).join(',');
  const pick = new URLSearchParams(tags === '' ? {} : { tags });
  const { filter, sort, order } = listQueryOf(where);
  const picks = tags === '' ? [] : [{ filter: listQueryOf(pick).filter }];
  const content = { picks, query: { filter, sort, order }, count };
  return { where, pick, content, settings: settingsIn(search, settings) };
}

/** Returns the arguments of the command that writes the same wall. */
function commandOf(organization: string, search: URLSearchParams): string[] {
  const { where, pick } = readWallQuery(search);
  return [
    ...['wall', '--organization', organization, '--out', 'wall/'],
    ...(where.size > 0 ? ['--where', where.toString()] : []),
    ...(pick.size > 0 ? ['--pick', pick.toString()] : []),
    ...settings.flatMap((name) => (search.get(name) ? [`--${name}`, search.get(name) ?? ''] : [])),
  ];
}

function wallPage(search: URLSearchParams, command: string): Html {
  const frame = `${deskPath}/wall-files/built/${encodeURIComponent(`?${search}`)}/index.html`;
  const value = (name: string) => search.getAll(name).join(',');
  return html`<div class="page-head"><h1>Wall as files</h1><p class="muted"><a href="${frame}" target="_blank">Open in a new tab</a></p></div>
  <p>A wall as files for any web host. This preview shows what your visitors see.</p>
  <form method="get" action="${deskPath}/wall-files" class="filters card">
    ${names.map((each) => fieldOf(each, value(each)))}
    ${field({ id: 'first', name: firstTags, label: 'Show these tags first', value: value(firstTags), hint: 'featured' })}
    ${settingFields(search, settings)}
    <div class="filter-buttons"><button>Show</button> <a class="button quiet" href="${deskPath}/wall-files">Reset</a></div>
  </form>
  <iframe class="wall" src="${frame}" title="Preview of the wall"></iframe>
  <h2>Publish it</h2>
  <p><a class="button" href="${deskPath}/wall-files/zip?${search}" download>Download the files (.zip)</a> and upload them to any web host. This command writes the same files:</p>
  <pre class="command" tabindex="0"><code>${command}</code></pre>`;
}
