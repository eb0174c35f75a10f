/** Renders the import of a file: what was read, the columns, the dry run, the progress and the result. */
import { html } from 'hono/html';
import type { LoadLine, LoadStatus } from '../../domain/loads.ts';
import { capital, counted, excerpt, joined, listed, minuteOf } from '../../domain/wording.ts';
import type { ImportResult } from '../../reading/import-file.ts';
import * as report from '../../reading/report.ts';
import { mostLines } from '../parts/import-limits.ts';
import type { Html } from '../parts/layout.ts';
import { affiliation, stars, statusPill } from '../parts/marks.ts';
import { deskPath } from '../parts/paths.ts';
import type { FileImport, ImportState } from './file-import.ts';
import { button, mappingForm, optionNames } from './mapping-form.ts';

// Characters shown of a testimonial.
const excerptLength = 300;

/**
 * Renders the part for a file, or for none.
 * @param openError why the last file could not be read
 */
export function importPart(file: FileImport | undefined, organization: string, openError?: string): Html {
  const isWorking = file?.state.kind === 'working';
  return html`${openError === undefined ? '' : html`<p class="notice wrong" role="alert">${openError}</p>`}
    ${file ? stateOf(file, organization) : ''}
    ${isWorking ? '' : dropZone(file !== undefined)}`;
}

function dropZone(isAnother: boolean): Html {
  return html`<form class="drop" data-drop>
    <label for="file"><strong>Choose ${isAnother ? 'another' : 'a'} file</strong><span class="wide">, or drop it here</span>: Excel (.xlsx), CSV or JSON,
      up to ${mostLines.toLocaleString('en')} testimonials and 4&nbsp;MB. Nothing is stored until you agree.</label>
    <input type="file" id="file" name="file" accept=".csv,.tsv,.txt,.xlsx,.json,.ndjson,.jsonl">
    ${!isAnother && html`<p class="muted">No file yet? ${button('sample', 'Download a sample', 'small quiet')}</p>`}
  </form>`;
}

/** Renders the part while a file is opened. */
export function openingPart(name: string): Html {
  return html`<p role="status"><bdi>${name}</bdi>: ${phaseLabels.read} …</p>
    <progress max="100" aria-label="${phaseLabels.read}"></progress>`;
}

function stateOf(file: FileImport, organization: string): Html {
  const { state, name } = file;
  const names = { file: name, organization };
  switch (state.kind) {
    case 'unchecked':
      return uncheckedPart(file);
    case 'checked':
      return checkedPart(file, state.result, organization);
    case 'working':
      return workingPart(file, state);
    case 'failed':
      return html`<p class="notice wrong" role="alert" tabindex="-1" data-focus>${state.error}</p>${file.opened ? columnsPart(file) : ''}
        <div class="buttons ask">${button('cancel', 'Cancel', 'quiet')}</div>`;
    case 'ended':
      return html`<div class="notice" role="status" tabindex="-1" data-focus>${paragraphs(report.resultText(state.result, { ...names, dryRun: false }))}
          <p><a href="${deskPath}/list">View the list</a></p></div>
        ${rejections(state.result, false)}
        <div class="buttons ask">${button('done', 'Done', 'solid')}</div>`;
  }
}

const phaseLabels: Record<Extract<ImportState, { kind: 'working' }>['phase'], string> = {
  asked: 'Preparing',
  read: 'Reading',
  checked: 'Checking',
  compared: 'Looking for duplicates',
  stored: 'Storing',
  indexed: 'Adding them to your list',
  previewed: 'Reading',
  erased: 'Erasing',
  pacing: 'Almost done',
};

function workingPart(
  { name, waitingReason, earlier, isStoring }: FileImport,
  { phase, done, total }: Extract<ImportState, { kind: 'working' }>,
): Html {
  const share = total > 0 ? Math.floor((100 * done) / total) : undefined;
  const label = phaseLabels[phase];
  return html`<p role="status"><bdi>${name}</bdi>: ${label} …</p>
    <progress max="100" ${share === undefined ? '' : html`value="${share}"`} aria-label="${label}"></progress>
    ${waitingReason === undefined ? '' : html`<p class="notice warning" role="alert">${waitingReason}</p>`}
    <p class="muted">${isStoring ? 'Keep this page open. If it is closed, choose the same file again, now or on another day: the import goes on where it stopped.' : earlier ? '' : 'Nothing is stored yet.'}</p>
    <div class="buttons ask">${button('cancel', isStoring ? 'Stop here' : 'Cancel', 'quiet')}</div>`;
}

function uncheckedPart(file: FileImport): Html {
  const { name, opened, firstLines } = file;
  const { withoutColumn = [] } = opened?.guess ?? {};
  const text =
    withoutColumn.length > 0
      ? `has no column for ${listed(withoutColumn.map(optionNames.nameOf))}. Choose the columns below.`
      : 'has other columns or formats now. Check the file before you import it.';
  return html`<p class="notice warning" role="status"><strong><bdi>${name}</bdi></strong> ${text}</p>
    ${opened && firstLines && mappingNotice({ ...firstLines, ...opened, wasImported: false })}
    ${firstLines && firstLines.rejected > 0 && withoutColumn.length === 0 && html`<div class="notice warning refusals">${reasons({ ...firstLines, sheet: opened?.sheet })}</div>`}
    ${columnsPart(file)}<div class="buttons ask">${button('cancel', 'Cancel', 'quiet')}</div>`;
}

function checkedPart(file: FileImport, result: ImportResult, organization: string): Html {
  if (result.wasImported)
    return html`<p class="notice" role="status" tabindex="-1" data-focus>${report.resultText(result, { file: file.name, organization, dryRun: true })}</p>
      ${rejections(result, true)}
      <div class="buttons ask">${button('cancel', 'Done', 'solid')}</div>
      ${mappingForm(file)}`;
  return html`<div class="notice" role="status" tabindex="-1" data-focus><p><strong><bdi>${file.name}</bdi></strong> is checked.${file.earlier ? '' : ' Nothing is stored yet.'}</p>
      ${paragraphs(report.resultText(result, { file: file.name, organization, dryRun: true }))}</div>
    ${mappingNotice(result)}
    ${rejections(result, true)}
    ${examplesPart(result.examples)}
    ${file.earlier ? begunNotice(file.earlier) : pendingNotice(result)}
    <div class="buttons ask">${storeButtons(result, file.earlier)}${button('cancel', 'Cancel', 'quiet')}</div>
    ${mappingForm(file)}`;
}

/** Says what happens to testimonials without a status. */
function pendingNotice({ good, hasStatus }: ImportResult): Html | '' {
  if (good === 0 || hasStatus) return '';
  return html`<p class="muted">They wait in the queue. To approve all of them now, choose “Approved” as the status below, and check again.</p>`;
}

/** Renders the mapping of a file, without its first lines: the form shows these. */
function mappingNotice(result: Parameters<typeof report.mappingText>[0]): Html | '' {
  const text = joined([
    result.guess && 'The columns are guessed from their names and values. Check them before you import.',
    report.mappingText({ ...result, examples: [] }, optionNames),
  ]);
  return text === '' ? '' : html`<div class="notice told">${paragraphs(text)}</div>`;
}

// In UTC, so that every reader sees the day that the file has.
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

/** Shows the first testimonials as they would be stored. */
function examplesPart(lines: readonly LoadLine[]): Html {
  const item = ({ author, rating, createdAt, status = 'pending', content }: LoadLine) => html`<li>
      <p><strong><bdi>${author.name}</bdi></strong>${affiliation(author)}</p>
      <p class="muted address"><bdi>${author.email}</bdi></p>
      <p>${stars(rating)} ${statusPill(status)} <span class="muted">${createdAt === undefined ? 'created now' : day.format(new Date(createdAt))}</span></p>
      <p class="content" dir="auto">${excerpt(content, excerptLength)}</p></li>`;
  return html`<ol class="import-preview" tabindex="0" aria-label="The first testimonials">${lines.map(item)}</ol>`;
}

/** Says how far the import of this file has come. */
function begunNotice({ done, count, at }: LoadStatus): Html {
  return html`<p class="notice">This import began on ${minuteOf(at)}: at least ${done.toLocaleString('en')} of ${counted(count, 'testimonial is', 'testimonials are')} stored. Continue?</p>`;
}

function storeButtons(result: ImportResult, earlier: LoadStatus | undefined): Html[] {
  const { good, repeated, wasImported } = result;
  if (good === 0 || wasImported) return [];
  if (earlier) return [button('all', 'Continue the import', 'solid')];
  if (repeated === 0) return [button('all', `Import ${counted(good, 'testimonial')}`, 'solid')];
  // Nothing of it is new.
  if (repeated >= good) return [button('all', `Import ${counted(good, 'testimonial')} again`, 'quiet')];
  const all = `Import all ${good.toLocaleString('en')}, with ${counted(repeated, 'duplicate')}`;
  return [
    button('only new', `Import ${counted(good - repeated, 'new testimonial')}`, 'solid'),
    button('all', all),
  ];
}

function rejections(result: ImportResult, dryRun: boolean): Html | '' {
  if (result.rejected === 0) return '';
  return html`<div class="notice warning refusals">${paragraphs(report.rejectedText(result, { dryRun }, optionNames))}${reasons(result)}
    ${result.wasImported ? '' : html`<p>${button('rejected', 'Download the rejected rows', 'small')} Correct them there, then choose that file.</p>`}</div>`;
}

/** Renders the reasons of rejected rows, each as a sentence. */
function reasons(result: Parameters<typeof report.reasonsText>[0]): Html[] {
  return report
    .reasonsText(result, optionNames)
    .split('\n')
    .flatMap((line) => paragraphs(capital(line)));
}

function paragraphs(text: string): Html[] {
  return text.split('\n').map((line) => html`<p dir="auto">${line}</p>`);
}

/** Renders the columns of a file that is not checked, and its first testimonials as they would be stored. */
function columnsPart(file: FileImport): Html {
  const { examples = [] } = file.firstLines ?? {};
  return html`${mappingForm(file)}${examples.length > 0 && examplesPart(examples)}`;
}
