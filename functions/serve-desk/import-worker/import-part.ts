/** Renders the import of a file: its content, the columns, the dry run, the progress and the result. */
import { html } from 'hono/html';
import type { LoadLine, LoadStatus } from '../../domain/loads.ts';
import { capital, counted, excerpt, joined, listed } from '../../domain/wording.ts';
import type { ImportResult } from '../../reading/import-file.ts';
import { columnsByField } from '../../reading/map-columns.ts';
import * as report from '../../reading/report.ts';
import { maxLines } from '../parts/import-limits.ts';
import type { Html } from '../parts/layout.ts';
import { affiliation, stars, statusPill } from '../parts/marks.ts';
import { deskPath } from '../parts/paths.ts';
import type { FileImport, ImportState } from './file-import.ts';
import { button, mappingForm, optionNames } from './mapping-form.ts';

// The number of characters shown of a testimonial.
const excerptLength = 300;

/**
 * Renders the part for a file, or for no file.
 * @param openError the reason that the last file could not be read
 */
export function importPart(file: FileImport | undefined, organization: string, openError?: string): Html {
  return html`${openError === undefined ? '' : html`<p class="notice wrong" role="alert">${openError}</p>`}
    ${file ? stateOf(file, organization) : dropZone()}`;
}

const endings = '.csv,.tsv,.txt,.xlsx,.json,.ndjson,.jsonl';

function dropZone(): Html {
  return html`<form class="drop" data-drop>
    <label class="button another">Choose a file
      ${fileInput('file-hint')}</label>
    <p class="muted" id="file-hint"><span class="wide">Or drop it here. </span>Excel (.xlsx), CSV or JSON, up to
      ${maxLines.toLocaleString('en')} testimonials and 4&nbsp;MB. Nothing is stored until you agree.</p>
    <p class="muted">No file yet? ${button('sample', 'Download a sample', 'small quiet')}</p>
  </form>`;
}

/** Renders the buttons for the current file, and the button that chooses another file. */
function decision(...buttons: Html[]): Html {
  return html`<div class="buttons ask file-decision">${buttons}<label class="button quiet another" data-drop>Choose another file
      ${fileInput()}</label></div>`;
}

function fileInput(describedBy = ''): Html {
  const described = describedBy !== '' && html`aria-describedby="${describedBy}"`;
  return html`<input type="file" id="file" name="file" class="visually-hidden" accept="${endings}" ${described}>`;
}

/** Renders the part while a file is opened. */
export function openingPart(name: string): Html {
  return html`<p role="status"><bdi>${name}</bdi>: ${phaseLabels.read}…</p>
    <progress max="100" aria-label="${phaseLabels.read}"></progress>`;
}

function stateOf(file: FileImport, organization: string): Html {
  const { state, name } = file;
  switch (state.kind) {
    case 'unchecked':
      return uncheckedPart(file);
    case 'checked':
      return checkedPart(file, state.result, organization);
    case 'working':
      return workingPart(file, state);
    case 'failed':
      return html`<p class="notice wrong" role="alert" tabindex="-1" data-focus>${state.error}</p>${file.opened ? columnsPart(file) : ''}
        ${decision(button('cancel', 'Cancel', 'quiet'))}`;
    case 'ended':
      return html`<div class="notice" role="status" tabindex="-1" data-focus>${titled(report.resultText(state.result, { file: name, organization, dryRun: false }))}
          <p><a href="${deskPath}/list">View the list</a></p></div>
        ${rejections(state.result, false)}
        ${decision(button('done', 'Done', 'solid'))}`;
  }
}

const phaseLabels: Record<Extract<ImportState, { kind: 'working' }>['phase'], string> = {
  prepared: 'Preparing',
  read: 'Reading',
  checked: 'Checking',
  compared: 'Looking for duplicates',
  stored: 'Storing',
  indexed: 'Updating your list',
  previewed: 'Reading',
  erased: 'Erasing',
  pacing: 'Waiting for the list to catch up',
};

function workingPart(
  { name, waitingReason, earlier, isStoring }: FileImport,
  { phase, done, total }: Extract<ImportState, { kind: 'working' }>,
): Html {
  const share = total > 0 ? Math.floor((100 * done) / total) : undefined;
  const label = phaseLabels[phase];
  return html`<p role="status"><bdi>${name}</bdi>: ${label}…</p>
    <progress max="100" ${share === undefined ? '' : html`value="${share}"`} aria-label="${label}"></progress>
    ${waitingReason === undefined ? '' : html`<p class="notice warning" role="alert">${waitingReason}</p>`}
    <p class="muted">${isStoring ? 'Keep this page open. If you close it, choose the same file again later to continue.' : earlier ? '' : 'Nothing is stored yet.'}</p>
    <div class="buttons ask">${button('cancel', isStoring ? 'Stop here' : 'Cancel', 'quiet')}</div>`;
}

function uncheckedPart(file: FileImport): Html {
  const { name, opened, firstLines } = file;
  const { withoutColumn = [] } = opened?.guess ?? {};
  const text =
    withoutColumn.length > 0
      ? `has no column for ${listed(withoutColumn.map(optionNames.nameOf))}. Choose the columns below.`
      : 'has to be checked again, because you changed its columns or formats.';
  return html`<p class="notice warning" role="status"><strong><bdi>${name}</bdi> ${text}</strong></p>
    ${firstLines && firstLines.rejected > 0 && withoutColumn.length === 0 && html`<div class="notice warning">${list(reasons({ ...firstLines, sheet: opened?.sheet }))}</div>`}
    ${opened && firstLines && mappingNotice({ ...firstLines, ...opened, wasImported: false })}
    ${columnsPart(file)}
    ${decision(button('cancel', 'Cancel', 'quiet'))}`;
}

function checkedPart(file: FileImport, result: ImportResult, organization: string): Html {
  const { name, earlier } = file;
  const text = report.resultText(result, { file: name, organization, dryRun: true });
  const title = isAllKnown(file, result)
    ? html`Nothing new in <bdi>${name}</bdi>.`
    : html`<bdi>${name}</bdi> was checked.${earlier ? '' : ' Nothing is stored yet.'}`;
  if (result.wasImported)
    return html`<p class="notice" role="status" tabindex="-1" data-focus>${text}</p>
      ${rejections(result, true)}
      ${decision(button('cancel', 'Done', 'solid'))}
      ${mappingForm(file)}`;
  return html`<div class="notice" role="status" tabindex="-1" data-focus>
      <p><strong>${title}</strong></p>
      ${list(earlier ? unfinishedTexts(earlier) : text.split('\n'))}</div>
    ${rejections(result, true)}
    ${mappingNotice(result)}
    ${columnsPart(file, result.examples)}
    ${earlier ? '' : statusPart(file, result)}
    ${decision(...choicesFor(file, result))}`;
}

/** Renders the choice between the queue and approval, for testimonials without a status. */
function statusPart(
  { chosenMapping, opened }: FileImport,
  { good, repeated, hasStatus }: ImportResult,
): Html | '' {
  const { sheet, mapping } = opened ?? {};
  const columns = sheet && mapping ? columnsByField(sheet.header, mapping) : {};
  const isApproved = chosenMapping.defaults.status === 'approved';
  // There may be nothing new to store, or nothing without a status.
  if (repeated >= good || (hasStatus && !isApproved)) return '';
  const choice = (action: string, label: string, isChosen: boolean) =>
    html`<label class="check"><input type="radio" id="${action}" name="becomes" data-act="${action}"${isChosen ? html` checked` : ''}> ${label}</label>`;
  return html`<fieldset class="becomes"><legend>${columns.status?.length ? 'Testimonials without a status' : 'After the import, the testimonials'}</legend>
    ${choice('queue', 'go to the queue', !isApproved)}${choice('approve', 'are approved right away', isApproved)}</fieldset>`;
}

/** Renders the mapping of a file without its first lines, which are in the form. */
function mappingNotice(result: Parameters<typeof report.mappingText>[0]): Html | '' {
  const notes = report.mappingText({ ...result, examples: [] }, optionNames);
  if (notes === '' && !result.guess) return '';
  const title = result.guess
    ? 'The columns are guessed from their names and values. Check them before you import.'
    : 'How the file is read:';
  return html`<div class="import-notes">${titled(joined([title, notes || false]))}</div>`;
}

// In UTC, so that every reader sees the date that is in the file.
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

/** Shows the first testimonials as they would be stored. */
function examplesPart(lines: readonly LoadLine[]): Html {
  const item = ({ author, rating, createdAt, status = 'pending', content }: LoadLine) => html`<li>
      <p><strong><bdi>${author.name}</bdi></strong>${affiliation(author)}</p>
      <p class="muted address"><bdi>${author.email}</bdi></p>
      <p>${stars(rating)} ${statusPill(status)} <span class="muted">${createdAt === undefined ? 'Today' : day.format(new Date(createdAt))}</span></p>
      <p class="content" dir="auto">${excerpt(content, excerptLength)}</p></li>`;
  return html`<ol class="import-preview" tabindex="0" aria-label="The first testimonials">${lines.map(item)}</ol>`;
}

const minute = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** True if an import has stored all of its testimonials. */
function isStored({ done, count }: LoadStatus): boolean {
  return done >= count;
}

/** Returns the texts about an earlier import of this file that did not finish. */
function unfinishedTexts(earlier: LoadStatus): string[] {
  const { done, count, at } = earlier;
  const all = counted(count, 'testimonial');
  const stored = isStored(earlier)
    ? `${count === 1 ? 'Its testimonial is' : `All ${all} are`} stored, but not yet in your list.`
    : `At least ${done.toLocaleString('en')} of ${all} ${done === 1 ? 'is' : 'are'} stored.`;
  return [`An import of this file began on ${minute.format(new Date(at))} and did not finish.`, stored];
}

/** True if every testimonial of a file is already stored, and no import of the file has to be continued. */
function isAllKnown({ earlier }: FileImport, { good, repeated }: ImportResult): boolean {
  return !earlier && good > 0 && repeated >= good;
}

/** Returns the buttons that store a checked file, and the one that does not. */
function choicesFor(file: FileImport, result: ImportResult): Html[] {
  const { good, repeated } = result;
  const number = counted(good, 'testimonial');
  if (isAllKnown(file, result))
    return [button('cancel', 'Done', 'solid'), button('all', `Import ${number} again`, 'quiet')];
  return [...storeButtons(file, { good, repeated }), button('cancel', 'Cancel', 'quiet')];
}

function storeButtons(
  { earlier }: FileImport,
  { good, repeated }: Pick<ImportResult, 'good' | 'repeated'>,
): Html[] {
  if (good === 0) return [];
  if (earlier) return [button('all', `${isStored(earlier) ? 'Finish' : 'Continue'} the import`, 'solid')];
  if (repeated === 0) return [button('all', `Import ${counted(good, 'testimonial')}`, 'solid')];
  const all = `Import all ${good.toLocaleString('en')}, including ${counted(repeated, 'duplicate')}`;
  return [
    button('only new', `Import ${counted(good - repeated, 'new testimonial')}`, 'solid'),
    button('all', all),
  ];
}

function rejections(result: ImportResult, dryRun: boolean): Html | '' {
  if (result.rejected === 0) return '';
  const [title = '', ...remedies] = report.rejectedText(result, { dryRun }, optionNames).split('\n');
  return html`<div class="notice warning"><p><strong>${title}</strong></p>${list([...remedies, ...reasons(result)])}
    <p class="buttons ask">${button('rejected', 'Download the rejected rows', 'small')}
      <span>Correct the rows in that file, then choose it.</span></p></div>`;
}

/** Returns the reasons for rejected rows, each as a sentence. */
function reasons(result: Parameters<typeof report.reasonsText>[0]): string[] {
  return report
    .reasonsText(result, optionNames)
    .split('\n')
    .map((line) => `${capital(line)}${line.endsWith('.') ? '' : '.'}`);
}

/** Renders the first line of a text as the title of the others. */
function titled(text: string): Html {
  const [title, ...others] = text.split('\n');
  return html`<p dir="auto"><strong>${title}</strong></p>${others.length > 0 && list(others)}`;
}

function list(lines: readonly string[]): Html {
  return html`<ul class="points">${lines.map((line) => html`<li dir="auto">${line}</li>`)}</ul>`;
}

/** Renders the columns of a file, and its first testimonials as they would be stored. */
function columnsPart(file: FileImport, examples = file.firstLines?.examples ?? []): Html {
  return html`${mappingForm(file)}${examples.length > 0 && examplesPart(examples)}`;
}
