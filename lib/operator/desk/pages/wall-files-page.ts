/** The wall before it is written: what visitors would see. */
import { zipSync } from 'fflate';
import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import { base } from '../../../../functions/serve-desk/base.ts';
import { type DeskEnv, type DeskPages, showPage } from '../../../../functions/serve-desk/desk.ts';
import { field, fieldOf } from '../../../../functions/serve-desk/parts/filter-form.ts';
import { listQueryOf, parametersIn } from '../../../../functions/serve-desk/parts/forms.ts';
import type { Html } from '../../../../functions/serve-desk/parts/html.ts';
import {
  settingFields,
  settingsIn,
  typedSettings,
} from '../../../../functions/serve-desk/parts/wall-fields.ts';
import { shellText } from '../../terminal/formatting.ts';
import type { WallContent } from '../../wall/read-wall.ts';
import { makeWall } from '../../wall/read-wall.ts';
import { siteFile, wallFiles } from '../../wall/site-file.ts';
import type { OperatorDesk } from '../desk.ts';

/** How many testimonials the preview has at most, as the command by itself. */
const count = 500;

// Parameters of a list that narrow and order a wall.
const names = ['rating', 'tags', 'search', 'type', 'sort', 'order'] as const;

// What `--pick tags=…` says.
const firstTags = 'first';

const settings = ['title', ...typedSettings] as const;

/** Adds the preview. Its files are made when they are asked for, at a path that says what the wall shows. */
export function wallFilesPages(desk: OperatorDesk): DeskPages {
  const searchIn = (c: Context) => parametersIn(c.req.url, [...names, firstTags, ...settings]);
  return new Hono<DeskEnv>()
    .get('/', async (c) => {
      const search = searchIn(c);
      contentOf(search);
      settingsIn(search);
      await desk.session().refuseWhileLoading();
      return showPage(c, 'wallFiles', wallPage(desk.organization, search));
    })
    .get('/built/:search/:file', async (c) => {
      const { search, file } = c.req.param();
      const type = new Map<string, string>(Object.entries(wallFiles)).get(file);
      if (type === undefined || !search.startsWith('?')) return c.notFound();
      const isOwn = /^(index|testimonials)\./.test(file);
      const built = isOwn ? await build(desk, new URLSearchParams(search)) : {};
      return c.body(await bytesOf(file, built), 200, { 'content-type': type });
    })
    .get('/zip', async (c) => {
      const built = await build(desk, searchIn(c));
      const files = Object.keys(wallFiles).map(async (name) => [name, await bytesOf(name, built)] as const);
      c.header('content-disposition', `attachment; filename="${desk.organization}-wall.zip"`);
      const zipped = zipSync(Object.fromEntries(await Promise.all(files)));
      return c.body(new Uint8Array(zipped), 200, { 'content-type': 'application/zip' });
    });
}

/** @param built the files that are this wall's alone */
async function bytesOf(name: string, built: Built) {
  return Buffer.from(built[name] ?? (await siteFile(name)));
}

/** What a wall shows that is asked for so. */
function contentOf(search: URLSearchParams): WallContent {
  const { filter, sort, order } = listQueryOf(listedIn(search));
  const first = firstIn(search);
  const picks = first.size === 0 ? [] : [{ filter: listQueryOf(first).filter }];
  return { picks, query: { filter, sort, order }, count };
}

function listedIn(search: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...search].filter(([name]) => names.some((each) => each === name)));
}

/** The tags of what stands first, as `--pick` has them. */
function firstIn(search: URLSearchParams): URLSearchParams {
  const tags = search.getAll(firstTags).join(',');
  return new URLSearchParams(tags === '' ? {} : { tags });
}

type Built = Readonly<Partial<Record<string, string>>>;

async function build(desk: OperatorDesk, search: URLSearchParams): Promise<Built> {
  const { organization } = desk;
  const about = { type: 'Organization', name: organization } as const;
  const options = { about, settings: settingsIn(search) };
  return (await makeWall(desk.session(), organization, contentOf(search), options)).built;
}

/** The command that writes the same wall. */
function commandOf(organization: string, search: URLSearchParams): string {
  const [where, first] = [listedIn(search), firstIn(search)];
  return `npm run admin -- ${shellText([
    ...['wall', '--organization', organization, '--out', 'wall/'],
    ...(where.size > 0 ? ['--where', where.toString()] : []),
    ...(first.size > 0 ? ['--pick', first.toString()] : []),
    ...settings.flatMap((name) => (search.get(name) ? [`--${name}`, search.get(name) ?? ''] : [])),
  ])}`;
}

function wallPage(organization: string, search: URLSearchParams): Html {
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
  <pre class="command" tabindex="0"><code>${commandOf(organization, search)}</code></pre>`;
}
