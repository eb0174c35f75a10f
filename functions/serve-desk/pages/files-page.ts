/** The desk's page for files: imports, which the browser reads and sends in steps, and exports. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { Hono } from 'hono/tiny';
import { matcherOf } from '../../domain/list-query.ts';
import { type LoadRefusal, LoadRefused, type LoadStatus, type UndoResult } from '../../domain/loads.ts';
import { filterNames } from '../../domain/testimonial-filter.ts';
import { counted, minuteOf } from '../../domain/wording.ts';
import { replacesMain } from '../parts/cards.ts';
import type { Desk, DeskEnv, DeskPages } from '../parts/desk.ts';
import { fieldOf } from '../parts/filter-form.ts';
import {
  BadForm,
  fieldText,
  formOf,
  listQueryOf,
  NotAllowed,
  outOfDateText,
  parametersIn,
} from '../parts/forms.ts';
import { maxLines } from '../parts/import-limits.ts';
import { type RefusedStep, type StepProgress, stepIn } from '../parts/import-step.ts';
import { performStep, refusalText, withinStep } from '../parts/import-work.ts';
import type { Html } from '../parts/layout.ts';
import { hiddenFields, progressPage } from '../parts/long-work.ts';
import { redirectWithNote } from '../parts/note.ts';
import { filesPath, stepPath } from '../parts/paths.ts';
import { showPage } from '../parts/show-page.ts';
import { minute } from '../parts/testimonial.ts';

export const filesPages: DeskPages = new Hono<DeskEnv>()
  .use(async (c, next) => {
    if (!c.var.desk.pages.includes('files')) throw new NotAllowed('Only owners can import and export files.');
    return next();
  })
  .get('/', async (c) => {
    const loads = await c.var.desk.loads.all().catch(refusalIn);
    return showFiles(c, filesPage(c, loads));
  })
  .post('/step', async (c) => {
    const { desk } = c.var;
    try {
      expectOwnOrganization(c);
      const step = await stepIn(c);
      desk.log({ step: step.step });
      return c.json(await performStep(desk, step));
    } catch (error) {
      if (error instanceof BadForm) return c.json({ problem: error.message }, 422);
      const refusal = refusalIn(error);
      return c.json({ refused: { why: refusal.why, text: refusalText(refusal) } } satisfies RefusedStep, 409);
    }
  })
  .post('/undo', async (c) => {
    const { desk } = c.var;
    const body = await formOf(c);
    const { load, title } = await loadIn(desk, fieldText(body, 'id'));
    if (load.count > maxUndone) throw new BadForm(tooLargeToUndoText);
    if (load.state === 'undone') return redirectWithNote(c, filesPath, wasUndoneText(title));
    const isAgreed = fieldText(body, 'do') === 'undo';
    const undone = await withinStep((work) => (isAgreed ? load.undo(work) : load.preview(work))).catch(
      refusedAsForm,
    );
    if ('progress' in undone) {
      // A preview that continues in another request does not confirm the undo.
      const values = { id: load.id, ...(isAgreed && { do: 'undo' }) };
      return showFiles(c, workPage('Undo', title, undone.progress, values), 'Undo an import');
    }
    if (!isAgreed) return showFiles(c, undoPage(load, title, undone.result), 'Undo an import');
    return redirectWithNote(c, filesPath, undoneText(title, undone.result));
  })
  .post('/finish', async (c) => {
    const { load, title } = await loadIn(c.var.desk, fieldText(await formOf(c), 'id'));
    if (load.state === 'undone') return redirectWithNote(c, filesPath, wasUndoneText(title));
    if (load.state !== 'stored' && load.state !== 'ended') throw new BadForm(cannotFinishText);
    const ended = await withinStep((work) => load.end(work)).catch(refusedAsForm);
    if ('progress' in ended)
      return showFiles(c, workPage('Finish', title, ended.progress, { id: load.id }), 'Finish an import');
    return redirectWithNote(c, filesPath, `${title} is imported. You can see its testimonials now.`);
  })
  .get('/records', async (c) => {
    try {
      return c.json(await recordsFor(c));
    } catch (error) {
      if (!(error instanceof BadForm)) throw error;
      return c.json({ problem: error.message }, 422);
    }
  });

/**
 * Reads a part of an export.
 * @throws {BadForm} also while lists do not show an import, because an incomplete export could look complete
 */
async function recordsFor(c: Context<DeskEnv>) {
  const { desk } = c.var;
  expectOwnOrganization(c);
  const from = Number(c.req.query('from') ?? '0');
  if (!Number.isSafeInteger(from) || from < 0) throw new BadForm(outOfDateText);
  const { filter } = listQueryOf(parametersIn(c.req.url, filterNames));
  const unfinished = from === 0 ? await desk.loads.unfinished().catch(refusedAsForm) : [];
  if (unfinished.some(({ isHidden }) => isHidden)) throw new BadForm(hiddenText);
  const { records, next } = await desk.readPart(from);
  const matches = matcherOf(filter);
  return { records: records.filter(({ testimonial }) => matches(testimonial)), next };
}

const hiddenText =
  'An import is still running or was stopped, so an export would be incomplete. Finish or undo it, then export again.';

/**
 * Refuses a step from a page of another organization. A person can sign in there in another tab while this
 * page continues.
 * @throws {BadForm} if the page belongs to another organization
 */
function expectOwnOrganization({ req, var: { desk } }: Context<DeskEnv>): void {
  if (req.query('organization') !== desk.organization)
    throw new BadForm(`You have switched to ${desk.organization}. Reload this page.`);
}

/** Shows a page with the script of the import. An undo and its end replace one another. */
function showFiles(c: Context<DeskEnv>, main: Html, title = 'Files'): Promise<Response> {
  return showPage(c, 'files', main, { title, scripts: ['import.js'] });
}

// Each undo step starts with the first testimonial, and skips those that are already erased.
const maxUndone = 10_000;
const tooLargeToUndoText = `Ask your administrator to undo imports of more than ${maxUndone.toLocaleString('en')} testimonials.`;

// Enough to undo a mistake, and to see the running imports.
const maxShown = 20;

/** @throws {BadForm} if the organization has no such import, or imports cannot be read */
async function loadIn({ loads }: Desk, id: string) {
  const load = await loads.find({ id }).catch(refusedAsForm);
  if (!load) throw new BadForm('This import does not exist. Reload the page.');
  return { load, title: titleOf(load) };
}

/** Returns the reason that a load was refused, and throws any other error. */
function refusalIn(error: unknown): LoadRefusal {
  if (error instanceof LoadRefused) return error.refusal;
  throw error;
}

function refusedAsForm(error: unknown): never {
  const refusal = refusalIn(error);
  if (refusal.why !== 'busy') throw new BadForm(refusalText(refusal));
  throw new BadForm(refusal.status.state === 'undoing' ? undoRunsText : importRunsText);
}

const importRunsText =
  'This import is still running, in another window or with the command “import”. Try again once it has ended. If it was stopped, try again in two minutes.';
const undoRunsText =
  'This import is already being undone, in another window or with the command “import”. If that was stopped, wait two minutes and press “Finish the undo” again.';
const cannotFinishText =
  'This import cannot be finished now. Open “Files”: the list of imports says what to do next.';
const wasUndoneText = (title: string) => `${title} was undone already.`;

function titleOf({ title, at }: LoadStatus): string {
  return title ?? `the import of ${minuteOf(at)}`;
}

/** @param loads the earlier imports, or the reason that they cannot be shown */
function filesPage(c: Context<DeskEnv>, loads: readonly LoadStatus[] | LoadRefusal): Html {
  const { desk } = c.var;
  const shown = parametersIn(c.req.url, filterNames);
  const importing = html`data-import data-worker="${desk.asset('import-worker.js')}" data-step="${stepPath}?organization=${encodeURIComponent(desk.organization)}" data-organization="${desk.organization}"`;
  return html`<h1>Files</h1>
  <section class="card part" aria-labelledby="import-title">
    <h2 id="import-title">Import</h2>
    <div id="import" ${importing}><p class="muted">Loading…</p></div>
    <noscript><p class="notice warning">Turn on JavaScript to import files. Without it, <a href="/desk/add">add testimonials one by one</a>.</p></noscript>
    <p class="notice wrong" data-too-old hidden>Your browser is too old for imports. Use a current version.</p>
  </section>
  ${'why' in loads ? importsPart(html`<p class="notice warning">${refusalText(loads)}</p>`, false) : loads.length > 0 && importsList(loads.slice(0, maxShown))}
  <section class="card part" aria-labelledby="export-title" id="export">
    <h2 id="export-title">Export</h2>
    <p class="muted">Download your testimonials, oldest first.</p>
    <form method="get" action="${filesPath}" class="filters" data-export="${filesPath}/records" data-organization="${desk.organization}">
      <details ${shown.size > 0 && 'open'}><summary>Filter the export</summary>
        <div class="filters bare">${filterNames.toReversed().map((name) => fieldOf(name, shown.getAll(name).join(',')))}</div></details>
      <div class="field"><label for="format">Format</label>
        <select id="format" name="format"><option value="csv">CSV (Excel)</option><option value="ndjson">NDJSON</option></select></div>
      <div class="filter-buttons"><button>Export</button></div>
      <p role="status" data-exported></p>
    </form>
    <noscript><p class="muted">Exports need JavaScript.</p></noscript>
  </section>`;
}

function importsList(loads: readonly LoadStatus[]): Html {
  // The list changes by itself only while a process works on an import.
  const isRunning = loads.some(({ claimedUntil }) => claimedUntil !== undefined);
  return importsPart(html`<ul class="rows">${loads.map((load) => importItem(load))}</ul>`, isRunning);
}

function importsPart(content: Html, isRunning: boolean): Html {
  const again = html`hx-get="${filesPath}" hx-trigger="every 5s" hx-select="#imports" hx-target="#imports" hx-swap="outerHTML"`;
  return html`<section class="card part" id="imports" aria-labelledby="imports-title" ${isRunning && again}>
    <h2 id="imports-title">Earlier imports</h2>
    ${content}
  </section>`;
}

function importItem(load: LoadStatus): Html {
  const { id, state, at } = load;
  // The id keeps the focus on the button when the list is shown again.
  const form = (action: string, label: string, kind: string) =>
    html`<form method="post" action="${filesPath}/${action}" ${replacesMain}>${hiddenFields({ id })}<button id="${action}-${id}" class="small ${kind}">${label}</button></form>`;
  return html`<li><div class="page-head"><h3><bdi>${titleOf(load)}</bdi></h3>
    <div class="buttons">${state === 'stored' && form('finish', 'Finish', 'solid')}
      ${state !== 'undone' && load.count <= maxUndone && form('undo', state === 'undoing' ? 'Finish the undo' : 'Undo import…', 'quiet')}</div></div>
    <p class="muted">${minute(at)}</p><p>${stateText(load)}</p></li>`;
}

function stateText({ state, done, count, claimedUntil }: LoadStatus): string {
  const progress = `${done.toLocaleString('en')} of ${counted(count, 'testimonial')}`;
  switch (state) {
    // `Loads.all` leaves out `begun`.
    case 'begun':
    case 'storing':
      return claimedUntil === undefined
        ? `Not finished: ${progress} stored. ${count > maxLines ? 'It was started with the command “import”: ask your administrator to finish it.' : 'Unless another window is storing it, choose the same file again to continue, or undo it.'}`
        : `Running: ${progress} stored.`;
    case 'stored':
      return `${count === 1 ? 'The testimonial is' : `All ${counted(count, 'testimonial')} are`} stored. ${claimedUntil === undefined ? 'Press “Finish” to complete the import.' : 'The import is almost done.'}`;
    case 'ended':
      return `${counted(count, 'testimonial')} imported.`;
    case 'undoing':
      return claimedUntil === undefined
        ? `The undo stopped: ${progress} done. ${count > maxUndone ? tooLargeToUndoText : 'Press “Finish the undo”.'}`
        : `The undo is running: ${progress} done.`;
    case 'undone':
      return 'Undone.';
  }
}

function undoPage(
  { id, at }: LoadStatus,
  title: string,
  { erased, changed, gone, isFirst }: UndoResult,
): Html {
  return html`<h1 tabindex="-1" data-focus>Undo an import</h1>
  <section class="card part">
    <div class="notice warning" role="alert">
      <p><strong><bdi>${title}</bdi></strong>, imported on ${minute(at)}: ${counted(erased, 'testimonial')} will be erased for good.</p>
      ${changed > 0 && html`<p>${counted(changed, 'testimonial was changed since and will be kept', 'testimonials were changed since and will be kept')}.</p>`}
      ${gone > 0 && html`<p>${counted(gone, 'testimonial was', 'testimonials were')} already erased.</p>`}
      ${isFirst && html`<p>This was your first import. If you import the file again, rows with later dates may be rejected.</p>`}
    </div>
    <form method="post" action="${filesPath}/undo" ${replacesMain}>${hiddenFields({ id, do: 'undo' })}
      <div class="buttons ask"><button class="danger solid">Undo the import for good</button>
        <a class="button quiet" href="${filesPath}">Keep the testimonials</a></div></form>
  </section>`;
}

function undoneText(title: string, { changed }: UndoResult): string {
  const stay = counted(
    changed,
    'testimonial was kept because it was changed',
    'testimonials were kept because they were changed',
  );
  return `${title} is undone.${changed > 0 ? ` ${stay}.` : ''}`;
}

function workPage(
  kind: 'Undo' | 'Finish',
  title: string,
  { done, total }: StepProgress,
  values: Record<string, string>,
): Html {
  const numbers = total > 0 ? ` ${done.toLocaleString('en')} of ${total.toLocaleString('en')}` : '';
  const isUndo = kind === 'Undo';
  return progressPage({
    title: isUndo ? 'Undoing an import' : 'Finishing an import',
    message: html`<p><bdi>${title}</bdi>:${numbers} ${isUndo ? 'checked' : 'stored'}…</p>`,
    path: `${filesPath}/${isUndo ? 'undo' : 'finish'}`,
    values,
    stopPath: filesPath,
  });
}
