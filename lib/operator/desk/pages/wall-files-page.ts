/** The wall before it is written: what visitors would see. */
import { strToU8, zipSync } from 'fflate';
import { Hono } from 'hono';
import { html } from 'hono/html';
import { base } from '../../../../functions/serve-desk/base.ts';
import { type DeskEnv, type DeskPages, pageOf } from '../../../../functions/serve-desk/desk.ts';
import { fieldOf } from '../../../../functions/serve-desk/parts/filter-form.ts';
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
  const app = new Hono<DeskEnv>();
  const types = new Map<string, string>(Object.entries(wallFiles));

  app.get('/', async (c) => {
    const search = parametersIn(c.req.url, [...names, firstTags, ...settings]);
    contentOf(search);
    settingsIn(search, settings);
    await desk.session().refuseWhileLoading();
    return c.html(await pageOf(c.var.desk, 'wallFiles', wallPage(desk.organization, search)));
  });

  app.get('/built/:search/:file', async (c) => {
    const { search, file } = c.req.param();
    const type = types.get(file);
    if (type === undefined || !search.startsWith('?')) return c.notFound();
    const built: Partial<Record<string, string>> = /^(index|testimonials)\./.test(file)
      ? await build(desk, new URLSearchParams(search))
      : {};
    return c.body(Buffer.from(built[file] ?? (await siteFile(file))), 200, { 'content-type': type });
  });
  app.get('/zip', async (c) => {
    const search = parametersIn(c.req.url, [...names, firstTags, ...settings]);
    const built: Partial<Record<string, string>> = await build(desk, search);
    const files = Object.keys(wallFiles).map(async (name) => {
      const content = built[name] ?? (await siteFile(name));
      return [name, typeof content === 'string' ? strToU8(content) : content] as const;
    });
    c.header('content-disposition', `attachment; filename="${desk.organization}-wall.zip"`);
    const zipped = zipSync(Object.fromEntries(await Promise.all(files)));
    return c.body(new Uint8Array(zipped), 200, { 'content-type': 'application/zip' });
  });
  return app;
}

/** What a wall shows that is asked for so. */
function contentOf(search: URLSearchParams): WallContent {
  const listed = [...search].filter(([name]) => names.some((each) => each === name));
  const { filter, sort, order } = listQueryOf(new URLSearchParams(listed));
  const tags = search.getAll(firstTags).join(',');
  const picks = tags === '' ? [] : [{ filter: listQueryOf(new URLSearchParams({ tags })).filter }];
  return { picks, query: { filter, sort, order }, count };
}

async function build(desk: OperatorDesk, search: URLSearchParams) {
  const { organization } = desk;
  const about = { type: 'Organization', name: organization } as const;
  const options = { about, settings: settingsIn(search, settings) };
  return (await makeWall(desk.session(), organization, contentOf(search), options)).built;
}

/** The command that writes the same wall. */
function commandOf(organization: string, search: URLSearchParams): string {
  const where = new URLSearchParams([...search].filter(([name]) => names.some((each) => each === name)));
  const tags = search.getAll(firstTags).join(',');
  return `npm run admin -- ${shellText([
    ...['wall', '--organization', organization, '--out', 'wall/'],
    ...(where.size > 0 ? ['--where', where.toString()] : []),
    ...(tags === '' ? [] : ['--pick', new URLSearchParams({ tags }).toString()]),
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
    <div class="field"><label for="first">First, those tagged</label>
      <input id="first" name="${firstTags}" value="${given(firstTags)}" placeholder="featured" autocomplete="off"></div>
    ${settingFields(search, settings)}
    <div class="filter-buttons"><button>Show</button> <a class="button quiet" href="${base}/wall-files">Reset</a></div>
  </form>
  <iframe class="wall" src="${site}" title="The wall"></iframe>
  <h2>To publish it</h2>
  <p><a class="button" href="${base}/wall-files/zip?${search}" download>Its files as a .zip</a> are for any host. A command writes the same:</p>
  <pre class="command" tabindex="0"><code>${commandOf(organization, search)}</code></pre>`;
}
