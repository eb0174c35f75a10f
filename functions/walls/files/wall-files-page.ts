/** The wall before it is written: what visitors would see. */
import { zipSync } from 'fflate';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { html } from 'hono/html';
import type { ListDependencies } from '../../operations/list-testimonials.ts';
import { base } from '../../serve-desk/parts/base.ts';
import { type DeskEnv, type DeskPages, showPage } from '../../serve-desk/parts/desk.ts';
import { field, fieldOf } from '../../serve-desk/parts/filter-form.ts';
import { listQueryOf, parametersIn } from '../../serve-desk/parts/forms.ts';
import type { Html } from '../../serve-desk/parts/html.ts';
import { settingFields, settingsIn, typedSettings } from '../wall-fields.ts';
import { makeWall } from './read-wall.ts';
import { contentSecurityPolicy, wallFile, wallFiles } from './wall-files.ts';

/** How many testimonials the preview has at most, as the command by itself. */
const count = 500;

// Parameters of a list that narrow and order a wall.
const names = ['rating', 'tags', 'search', 'type', 'sort', 'order'] as const;

// What `--pick tags=…` says.
const firstTags = 'first';

const settings = ['title', ...typedSettings] as const;

interface WallSource {
  organization: string;
  /** @throws, by `refuseWhileLoading`, while an import has not ended */
  session: () => ListDependencies & { refuseWhileLoading: () => Promise<void> };
}

/** The headers of a wall, as it has them itself, in a frame of the desk. */
export const wallHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  if (!c.req.path.includes('/built/')) return;
  c.header('content-security-policy', `${contentSecurityPolicy}; frame-ancestors 'self'`);
  c.header('x-frame-options', 'SAMEORIGIN');
};

/**
 * Adds the preview. Its files are made when they are asked for, at a path that says what the wall shows.
 * @param shellText writes words as a shell reads them
 */
export function wallFilesPages(desk: WallSource, shellText: (words: readonly string[]) => string): DeskPages {
  const { organization } = desk;
  const searchIn = (c: Context) => parametersIn(c.req.url, [...names, firstTags, ...settings]);
  /** Makes what is this wall's alone. */
  const build = async (search: URLSearchParams): Promise<Partial<Record<string, string>>> => {
    const { content, settings } = askedIn(search);
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
 * What a wall is asked for: `where` and `pick` are the command's options.
 * @throws {BadForm} naming what is wrong
 */
function askedIn(search: URLSearchParams) {
  const where = new URLSearchParams([...search].filter(([name]) => names.some((each) => each === name)));
  const tags = search.getAll(firstTags).join(',');
  const pick = new URLSearchParams(tags === '' ? {} : { tags });
  const { filter, sort, order } = listQueryOf(where);
  const picks = tags === '' ? [] : [{ filter: listQueryOf(pick).filter }];
  const content = { picks, query: { filter, sort, order }, count };
  return { where, pick, content, settings: settingsIn(search, settings) };
}

/** The command that writes the same wall. */
function commandOf(organization: string, search: URLSearchParams): string[] {
  const { where, pick } = askedIn(search);
  return [
    ...['wall', '--organization', organization, '--out', 'wall/'],
    ...(where.size > 0 ? ['--where', where.toString()] : []),
    ...(pick.size > 0 ? ['--pick', pick.toString()] : []),
    ...settings.flatMap((name) => (search.get(name) ? [`--${name}`, search.get(name) ?? ''] : [])),
  ];
}

function wallPage(search: URLSearchParams, command: string): Html {
  const site = `${base}/wall-files/built/${encodeURIComponent(`?${search}`)}/index.html`;
  const given = (name: string) => search.getAll(name).join(',');
  return html`<div class="page-head"><h1>Wall as files</h1><p class="muted"><a href="${site}" target="_blank">Open it on its own</a></p></div>
  <p>What visitors see: approved testimonials and nothing else.</p>
  <form method="get" action="${base}/wall-files" class="filters card">
    ${names.map((each) => fieldOf(each, given(each)))}
    ${field({ id: 'first', name: firstTags, label: 'First, those tagged', value: given(firstTags), hint: 'featured' })}
    ${settingFields(search, settings)}
    <div class="filter-buttons"><button>Show</button> <a class="button quiet" href="${base}/wall-files">Reset</a></div>
  </form>
  <iframe class="wall" src="${site}" title="The wall"></iframe>
  <h2>To publish it</h2>
  <p><a class="button" href="${base}/wall-files/zip?${search}" download>Its files as a .zip</a> are for any host. A command writes the same:</p>
  <pre class="command" tabindex="0"><code>${command}</code></pre>`;
}
