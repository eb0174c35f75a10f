/** Data in and out: import by a file that is dropped, a dry run first, and export. */
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { Hono } from 'hono';
import { html } from 'hono/html';
import * as v from 'valibot';
import { filterNames } from '../../../../functions/domain/testimonial-filter.ts';
import { fileFormats } from '../../files/file-format.ts';
import { type LineField, lineFields } from '../../import/imported-line.ts';
import { sampleOf } from '../../import/sample.ts';
import type { Desk } from '../desk.ts';
import { HeldImports, type Reading } from '../held-import.ts';
import { attachment, contentTypes } from '../parts/download.ts';
import { fieldOf } from '../parts/filter-form.ts';
import { BadForm, type FormBody, textOf } from '../parts/forms.ts';
import { columnsIn, importPart } from '../parts/import.ts';
import { type Html, layout } from '../parts/layout.ts';

/** Adds import and export. */
export function filesPages(desk: Desk): Hono {
  const app = new Hono();
  const imports = new HeldImports(desk);
  const page = async (problem?: string) =>
    layout(
      await desk.frame(),
      { current: 'files', title: 'Import & export' },
      filesPage(importPart(imports.current, desk.organization, problem)),
    );
  app.get('/', async (c) => c.html(await page()));

  app.post('/', async (c) => {
    const body = await c.req.parseBody({ all: true });
    try {
      await doTo(imports, body);
    } catch (error) {
      if (!(error instanceof BadForm)) throw error;
      return c.html(await page(error.message), 422);
    }
    return c.redirect('/files', 303);
  });

  app.get('/sample', (c) => {
    const format = v.parse(v.picklist(fileFormats), c.req.query('format') ?? 'csv');
    c.header('content-disposition', `attachment; filename="testimonials.${format}"`);
    return c.body(sampleOf(format), 200, { 'content-type': contentTypes[format] });
  });

  app.get('/rejected', (c) => {
    const step = imports.current?.step;
    const report = step && 'report' in step ? step.report : undefined;
    if (report?.rejectedFile === undefined) return c.notFound();
    c.header('content-disposition', attachment(basename(report.rejectedFile)));
    // Node's and the DOM's types of the same streams differ.
    const stream = Readable.toWeb(createReadStream(report.rejectedFile)) as ReadableStream;
    return c.body(stream, 200, { 'content-type': contentTypes.ndjson });
  });
  return app;
}

/** What the forms of an import ask for. */
async function doTo(imports: HeldImports, body: FormBody): Promise<void> {
  switch (textOf(body, 'do')) {
    case 'take': {
      const { file } = body;
      if (!(file instanceof File) || file.size === 0) throw new BadForm('Choose a file that is not empty.');
      return imports.take(file);
    }
    case 'check':
      return imports.check(readingIn(body));
    case 'store':
      return imports.store(textOf(body, 'agreed') === 'yes');
    case 'ask to undo':
      return imports.askToUndo();
    case 'undo':
      return imports.undo();
    case 'forget':
      return imports.forget();
    default:
      throw new BadForm('The page asked for nothing that can be done.');
  }
}

function readingIn(body: FormBody): Reading {
  const map: Reading['map'] = {};
  const defaults: Partial<Record<LineField, string>> = {};
  for (const field of lineFields) {
    const columns = columnsIn(textOf(body, `column ${field}`));
    if (columns.length > 0) map[field] = columns;
    const value = textOf(body, `value ${field}`).trim();
    if (value !== '') defaults[field] = value;
  }
  const dateFormat = textOf(body, 'dateFormat').trim();
  const asNew = textOf(body, 'asNew') === 'yes';
  const roundRatings = textOf(body, 'roundRatings') === 'yes';
  return { map, defaults, asNew, roundRatings, ...(dateFormat !== '' && { dateFormat }) };
}

function filesPage(imported: Html): Html {
  return html`<h1>Import & export</h1>
  ${imported}
  <section class="card part" aria-labelledby="export">
    <h2 id="export">Export</h2>
    <p class="muted">A file that an import takes, oldest first. Narrowed by nothing, it is everything.</p>
    <form method="get" action="/files/export" class="filters bare">
      ${filterNames.map((name) => fieldOf(name, ''))}
      <div class="field"><label for="format">Format</label>
        <select id="format" name="format"><option value="csv">CSV, for spreadsheets</option><option value="ndjson">NDJSON</option></select></div>
      <div class="filter-buttons"><button>Export</button></div>
    </form>
  </section>`;
}
