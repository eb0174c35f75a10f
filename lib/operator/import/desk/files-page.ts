/** The desk's page for import and export. */
import { Readable } from 'node:stream';
import type { Context } from 'hono';
import { html } from 'hono/html';
import { Hono } from 'hono/tiny';
import { matcherOf } from '../../../../functions/domain/list-query.ts';
import { filterNames } from '../../../../functions/domain/testimonial-filter.ts';
import { exportText, sampleOf } from '../../../../functions/reading/export.ts';
import { type ExportFormat, exportFormats } from '../../../../functions/reading/formats.ts';
import { deskPath } from '../../../../functions/serve-desk/parts/assets.ts';
import type { DeskEnv, DeskPages } from '../../../../functions/serve-desk/parts/desk.ts';
import { fieldOf } from '../../../../functions/serve-desk/parts/filter-form.ts';
import {
  BadForm,
  type FormBody,
  listQueryOf,
  outOfDateText,
  parametersIn,
  textOf,
} from '../../../../functions/serve-desk/parts/forms.ts';
import type { Html } from '../../../../functions/serve-desk/parts/layout.ts';
import { showPage } from '../../../../functions/serve-desk/parts/show-page.ts';
import { type DroppedFile, DroppedFiles, type FilesDesk } from './dropped-files.ts';
import { importPart, mappingIn } from './import-part.ts';

export function filesPages(desk: FilesDesk): DeskPages {
  const app = new Hono<DeskEnv>();
  const files = new DroppedFiles(desk);
  const page = (c: Context<DeskEnv>, hash: string | undefined, problem?: string) => {
    const file = files.byHash.get(hash ?? '');
    const others = [...files.byHash.values()].filter((each) => each !== file);
    const main = filesPage(importPart(file, others, desk.organization, problem));
    return showPage(c, 'files', main, { status: problem === undefined ? 200 : 422 });
  };
  app.get('/', (c) => page(c, c.req.query('of')));

  app.post('/', async (c) => {
    const body = await c.req.parseBody({ all: true });
    try {
      const file = await performAction(files, body);
      return c.redirect(file ? `${deskPath}/files?of=${file.hash}` : `${deskPath}/files`, 303);
    } catch (error) {
      if (!(error instanceof BadForm)) throw error;
      return page(c, textOf(body, 'of'), error.message);
    }
  });

  app.get('/sample', (c) => {
    const format = formatIn(c);
    return download(c, `testimonials.${format}`, format, [sampleOf(format)]);
  });

  app.get('/rejected', (c) => {
    const { name, step, opened } = files.byHash.get(c.req.query('of') ?? '') ?? {};
    if (!step || !('result' in step)) return c.notFound();
    const { rejected, refused } = step.result;
    if (refused === 0) return c.notFound();
    const format = opened?.sheet ? 'csv' : 'ndjson';
    return download(c, `${name}.rejected.${format}`, format, [rejected]);
  });

  app.get('/export', async (c) => {
    const format = formatIn(c);
    const { filter } = listQueryOf(parametersIn(c.req.url, filterNames));
    const session = desk.session();
    await session.refuseUnknown();
    await session.refuseWhileLoading();
    const matches = matcherOf(filter);
    const text = exportText(session.all(), format, { matches });
    const name = `${desk.organization}-${session.now().toISOString().slice(0, 10)}.${format}`;
    return download(c, name, format, text);
  });
  return app;
}

/** @throws {BadForm} when the request names no format */
function formatIn(c: Context): ExportFormat {
  const format = exportFormats.find((each) => each === c.req.query('format'));
  if (format) return format;
  throw new BadForm(`Choose a format: ${exportFormats.join(' or ')}.`);
}

const contentTypes = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson' } as const;

/** Sends a download, whose name may contain any letters (RFC 6266, section 4.3). */
function download(
  c: Context,
  name: string,
  format: ExportFormat,
  texts: Iterable<string> | AsyncIterable<string>,
): Response {
  const escaped = encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
  c.header('content-disposition', `attachment; filename*=UTF-8''${escaped}`);
  const content = Readable.toWeb(Readable.from(texts, { objectMode: false }));
  // Node and the DOM have different types for the same streams.
  return c.body(content as ReadableStream, 200, { 'content-type': contentTypes[format] });
}

/** Performs the action of a form. Returns its file if that is still open. */
async function performAction(files: DroppedFiles, body: FormBody): Promise<DroppedFile | undefined> {
  const action = textOf(body, 'do');
  if (action === 'take') {
    if (body.file instanceof File && body.file.size > 0) return files.open(body.file);
    throw new BadForm('Choose a file that is not empty.');
  }
  const file = files.requireIdle({ hash: textOf(body, 'of'), name: textOf(body, 'name') });
  switch (action) {
    case 'check':
      await files[textOf(body, 'only') === 'show' ? 'show' : 'check'](file, mappingIn(body, file));
      return file;
    case 'store':
      files.store(file, textOf(body, 'which') === 'all' ? 'all' : 'only new', textOf(body, 'agreement'));
      return file;
    case 'ask to undo':
      await files.askToUndo(file);
      return file;
    case 'undo':
      files.undo(file, textOf(body, 'import'));
      return file;
    case 'forget':
      files.byHash.delete(file.hash);
      return undefined;
    default:
      throw new BadForm(outOfDateText);
  }
}

function filesPage(imported: Html): Html {
  return html`<h1>Import & export</h1>
  ${imported}
  <section class="card part" aria-labelledby="export">
    <h2 id="export">Export</h2>
    <p class="muted">A file that you can import again, oldest testimonials first. Without a filter it contains all of them.</p>
    <form method="get" action="${deskPath}/files/export" class="filters bare">
      ${filterNames.map((name) => fieldOf(name, ''))}
      <div class="field"><label for="format">Format</label>
        <select id="format" name="format"><option value="csv">CSV, for spreadsheets</option><option value="ndjson">NDJSON</option></select></div>
      <div class="filter-buttons"><button>Export</button></div>
    </form>
  </section>`;
}
