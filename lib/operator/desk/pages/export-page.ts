/** An export: what a list has, as a file. */
import { Readable } from 'node:stream';
import { Hono } from 'hono';
import * as v from 'valibot';
import { matcherOf } from '../../../../functions/domain/matcher.ts';
import { filterNames } from '../../../../functions/domain/testimonial-filter.ts';
import { exportText } from '../../export/export-testimonials.ts';
import { fileFormats } from '../../files/file-format.ts';
import type { Desk } from '../desk.ts';
import { attachment, contentTypes } from '../parts/download.ts';
import { listQueryOf, parametersIn } from '../parts/forms.ts';

/** Adds the export, which the parameters of a list narrow. */
export function exportPages(desk: Desk): Hono {
  const app = new Hono();
  app.get('/', async (c) => {
    const format = v.parse(v.picklist(fileFormats), c.req.query('format'));
    const { filter } = listQueryOf(parametersIn(c.req.url, filterNames));
    const session = desk.session();
    await session.refuseWhileLoading();
    const text = exportText(session.testimonials, desk.organization, format, {
      matches: matcherOf(filter),
      onRead: () => {},
    });
    const day = session.now().toISOString().slice(0, 10);
    c.header('content-disposition', attachment(`${desk.organization}-${day}.${format}`));
    // Node's and the DOM's types of the same streams differ.
    const stream = Readable.toWeb(Readable.from(text, { objectMode: false })) as ReadableStream;
    return c.body(stream, 200, { 'content-type': contentTypes[format] });
  });
  return app;
}
