/** The wall before it is written: what visitors would see. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { ListQuery } from '../../../../functions/domain/list-query.ts';
import { findTestimonial } from '../../../../functions/operations/find-testimonial.ts';
import { listTestimonials } from '../../../../functions/operations/list-testimonials.ts';
import { readFilter, readListQuery } from '../../filter-options.ts';
import { buildWall } from '../../wall/build-wall.ts';
import { readWall } from '../../wall/read-wall.ts';
import { wallFiles } from '../../wall/wall-files.ts';
import { writeWall } from '../../wall/write-wall.ts';
import type { Desk } from '../desk.ts';
import { fieldOf } from '../parts/filter-form.ts';
import { type Html, layout } from '../parts/layout.ts';

/** How many testimonials the preview has at most, as the command by itself. */
const count = 500;

// Parameters of a list that narrow and order a wall.
const names = ['rating', 'tags', 'search', 'type', 'sort', 'order'] as const;

// What `--pick tags=…` and `--no-summary` say.
const firstTags = 'first';
const withoutSummary = 'plain';

// Of pages that may still be open.
const mostKept = 5;

/** Adds the preview. */
export function wallPages(desk: Desk): Hono {
  const app = new Hono();
  const built: string[] = [];
  const types = new Map<string, string>(Object.entries(wallFiles));

  app.get('/', async (c) => {
    const search = new URLSearchParams();
    for (const name of [...names, firstTags, withoutSummary]) {
      const value = c.req.query(name);
      if (value) search.set(name, value);
    }
    const folder = await build(desk, search);
    built.push(folder);
    for (const old of built.splice(0, built.length - mostKept))
      await rm(old, { recursive: true, force: true });
    const main = wallPage(desk.organization, search, basename(folder));
    return c.html(layout(await desk.frame(), { current: 'wall', title: 'Wall' }, main));
  });

  app.get('/built/:wall/:file?', async (c) => {
    const folder = built.find((each) => basename(each) === c.req.param('wall'));
    const name = c.req.param('file') ?? 'index.html';
    const type = types.get(name);
    if (folder === undefined || type === undefined) return c.notFound();
    return c.body(new Uint8Array(await readFile(join(folder, name))), 200, { 'content-type': type });
  });
  return app;
}

/** Writes a wall as `wall` does, into a folder of the desk's. */
async function build(desk: Desk, search: URLSearchParams): Promise<string> {
  const session = desk.session();
  await session.refuseWhileLoading();
  const { organization } = desk;
  const narrowing = new URLSearchParams(search);
  narrowing.delete(firstTags);
  const { filter, sort, order } = readListQuery(narrowing.toString(), () => {});
  const tags = search.get(firstTags);
  const picks = tags === null ? [] : [{ filter: readFilter(new URLSearchParams({ tags }).toString()) }];
  const source = {
    list: (query: ListQuery) => listTestimonials(session, organization, query),
    find: async (id: string) => (await findTestimonial(session.testimonials, organization, id)).testimonial,
  };
  const testimonials = await readWall(source, { picks, query: { filter, sort, order }, count });
  const folder = await mkdtemp(join(desk.folder, 'wall-'));
  const built = buildWall(testimonials, {
    title: `What customers say about ${organization}`,
    about: { type: 'Organization', name: organization },
    hasSummary: search.get(withoutSummary) === null,
    isChosenByRating: filter.rating !== undefined,
  });
  await writeWall(folder, built);
  return folder;
}

/** The command that writes the same wall. */
function commandOf(organization: string, search: URLSearchParams): string {
  const quoted = (text: string) => `'${text.replaceAll("'", '%27')}'`;
  const where = new URLSearchParams([...search].filter(([name]) => names.some((each) => each === name)));
  const tags = search.get(firstTags);
  return [
    `npm run admin -- wall --organization ${organization} --out wall/`,
    where.size > 0 && `--where ${quoted(where.toString())}`,
    tags !== null && `--pick ${quoted(new URLSearchParams({ tags }).toString())}`,
    search.get(withoutSummary) !== null && '--no-summary',
  ]
    .filter((part) => part !== false)
    .join(' ');
}

function wallPage(organization: string, search: URLSearchParams, name: string): Html {
  const site = `/wall/built/${name}/index.html`;
  return html`<div class="page-head"><h1>Wall</h1><p class="muted"><a href="${site}" target="_blank">Open it on its own</a></p></div>
  <p>What visitors see: approved testimonials and nothing else.</p>
  <form method="get" action="/wall" class="filters card">
    ${names.map((each) => fieldOf(each, search.get(each) ?? ''))}
    <div class="field"><label for="first">First, those tagged</label>
      <input id="first" name="${firstTags}" value="${search.get(firstTags) ?? ''}" placeholder="featured" autocomplete="off"></div>
    <label class="check"><input type="checkbox" name="${withoutSummary}" value="yes"${
      search.get(withoutSummary) === null ? '' : html` checked`
    }> <span>No summary</span></label>
    <div class="filter-buttons"><button>Show</button> <a class="button quiet" href="/wall">Reset</a></div>
  </form>
  <iframe class="wall" src="${site}" title="The wall"></iframe>
  <h2>To publish it</h2>
  <p>Somebody at a terminal writes the same wall into a folder for any host:</p>
  <pre class="command" tabindex="0"><code>${commandOf(organization, search)}</code></pre>`;
}
