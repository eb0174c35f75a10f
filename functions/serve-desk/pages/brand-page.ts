/** The desk's page about the brand of an organization: its name, color and logo on forms and walls. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { Hono } from 'hono/tiny';
import type { Brand } from '../../domain/brand.ts';
import { type Page, type PageKind, pageKinds } from '../../domain/page.ts';
import { maxLogoBytes, readBrand, readLogo } from '../../domain/read-brand.ts';
import { capital } from '../../domain/wording.ts';
import { replacesMain } from '../parts/cards.ts';
import type { DeskEnv, DeskPages } from '../parts/desk.ts';
import { describedBy, field } from '../parts/field.ts';
import { type FormBody, fieldText, formOf, mergedFields } from '../parts/forms.ts';
import type { Html } from '../parts/layout.ts';
import { redirectWithNote } from '../parts/note.ts';
import { deskPath } from '../parts/paths.ts';
import { showPage } from '../parts/show-page.ts';
import { firstTitles, pagesOf, previewFrame, previewNote, showPreview, showProblem } from './preview.ts';
import { type Problem, problemIn } from './settings-fields.ts';

const path = `${deskPath}/pages/brand`;

export const brandPages: DeskPages = new Hono<DeskEnv>()
  .get('/', async (c) => showForm(c, await savedIn(c)))
  .post('/', async (c) => {
    const { desk } = c.var;
    const { brand, typed, problem } = await typedBrand(await formOf(c), await savedIn(c));
    if (problem) return showForm(c, typed, problem, brand);
    await pagesOf(desk).saveBrand(desk.organization, brand);
    return redirectWithNote(c, path, 'Saved. Visitors see it within two minutes.');
  })
  .get('/logo', async (c) => {
    const { logo } = await savedIn(c);
    if (!logo) return c.notFound();
    return c.body(Buffer.from(logo.data, 'base64'), 200, { 'content-type': logo.type });
  })
  .get('/preview', async (c) => preview(c, 'form', await savedIn(c)))
  .post('/preview', async (c) => {
    const body = await formOf(c);
    const { brand, problem } = await typedBrand(body, await savedIn(c));
    if (problem) return showProblem(c, problem);
    return preview(c, pageKinds.find((each) => each === fieldText(body, 'shown')) ?? 'form', brand);
  });

function savedIn(c: Context<DeskEnv>): Promise<Brand> {
  const { desk } = c.var;
  return pagesOf(desk).findBrand(desk.organization);
}

/** Returns the brand that a form describes, the fields as typed, and the rule that one of them breaks. */
async function typedBrand(
  body: FormBody,
  saved: Brand,
): Promise<{ brand: Brand; typed: Brand; problem?: Problem }> {
  const typed = { name: fieldText(body, 'name'), accent: fieldText(body, 'accent') };
  const { name, accent } = mergedFields(body, typed, fieldsOf(saved));
  const asTyped = { ...saved, name, accent: { chosen: accent, light: accent, dark: accent } };
  try {
    const logo = await logoIn(body, saved);
    const brand = readBrand({ name, accent, ...(logo && { logo }) });
    return { brand, typed: asTyped };
  } catch (error) {
    if (!(error instanceof Error) || typeof error.cause !== 'string') throw error;
    return {
      brand: saved,
      typed: asTyped,
      problem: { name: error.cause, text: sentenceOf(error.cause, error.message) },
    };
  }
}

const fieldsOf = ({ name = '', accent }: Brand) => ({ name, accent: accent?.chosen ?? '' });

function sentenceOf(field: string, message: string): string {
  return field === 'accent' ? 'Enter a color such as #2a56c6.' : `${capital(message)}.`;
}

/**
 * Returns the logo of a form: a new one that the script has made smaller, an unchanged file, or the saved
 * logo.
 * @throws an error that names the rule that a new logo breaks
 */
async function logoIn(body: FormBody, saved: Brand): Promise<Brand['logo']> {
  if (fieldText(body, 'without-logo')) return undefined;
  const small = fieldText(body, 'small');
  if (small) return readLogo(Buffer.from(small.replace(/^data:[^,]*,/, ''), 'base64'));
  const [file] = [body.logo].flat();
  if (!(file instanceof File) || file.size === 0) return saved.logo;
  return readLogo(new Uint8Array(await file.arrayBuffer()));
}

/** Shows a form or a wall with a brand: the oldest of the organization, or a new one. */
async function preview(c: Context<DeskEnv>, kind: PageKind, brand: Brand): Promise<Response> {
  const { organization } = c.var.desk;
  const pages = await pagesOf(c.var.desk).list(organization);
  const page = pages.find((each) => each.kind === kind && !problemIn(each)) ?? samplePage(organization, kind);
  return showPreview(c, { page, brand }, noteOf(brand));
}

function samplePage(organization: string, kind: PageKind): Page {
  return { id: '0'.repeat(22), organization, kind, title: firstTitles[kind], settings: {}, createdAt: '' };
}

/**
 * Shows a button in the colors that visitors see, and says which of its colors differ from the chosen one.
 */
function noteOf({ accent }: Brand): Html | '' {
  if (!accent) return '';
  const { chosen, light, dark } = accent;
  const shown = [
    ...(light === chosen ? [] : [html`light pages use ${colored(light)}`]),
    ...(dark === chosen ? [] : [html`dark pages use ${colored(dark)}`]),
  ];
  const buttons = [button(0, light, '#fff', '#fff'), button(100, dark, '#1b1d24', '#10131c')];
  const sample = html`<svg class="sample" viewBox="0 0 200 48" aria-hidden="true">${buttons}</svg>`;
  return html`${sample}${shown.length > 0 && differenceText(shown)}`;
}

function differenceText(shown: readonly Html[]): Html {
  return html`To keep texts readable, ${shown.map((each, i) => html`${i > 0 && ', and '}${each}`)}.`;
}

/** Draws a sample button on a page. An attribute colors it, because the policy forbids styles. */
function button(left: number, color: string, page: string, text: string): Html {
  return html`<path fill="${page}" d="M${left} 0h100v48h-100z"/><rect x="${left + 14}" y="9" width="72" height="30" rx="7" fill="${color}"/>
    <text x="${left + 50}" y="28.5" font-size="13" fill="${text}">Send</text>`;
}

/** Returns the code of a color after a sample of it. */
function colored(color: string): Html {
  const sample = html`<svg class="swatch" viewBox="0 0 1 1" aria-hidden="true"><path fill="${color}" d="M0 0h1v1H0z"/></svg>`;
  return html`<span class="color">${sample} ${color}</span>`;
}

function showForm(
  c: Context<DeskEnv>,
  brand: Brand,
  problem?: Problem,
  saved: Brand = brand,
): Promise<Response> {
  const problemOf = (name: string) => (problem?.name === name ? problem.text : '');
  const shown = html`<div class="shown" role="radiogroup" aria-labelledby="shown"><span id="shown">Preview of</span>${pageKinds.map(
    (kind) =>
      html`<label class="check"><input type="radio" form="brand" name="shown" value="${kind}" ${kind === 'form' && 'checked'}> A ${kind}</label>`,
  )}</div>`;
  const main = html`<p><a class="back" href="${deskPath}/pages">Pages</a></p>
  <h1>Name, color and logo</h1>
  <p class="muted">Shown on your forms, walls and thank‑you pages.</p>
  <div class="editor">
    <form method="post" action="${path}" enctype="multipart/form-data" class="settings card" id="brand" data-preview="${path}/preview" ${replacesMain}>
      ${field({ id: 'brand-name', name: 'name', label: 'Name', value: brand.name ?? '', example: 'For example Acme Inc.', problem: problemOf('name') })}
      ${field({ id: 'brand-accent', name: 'accent', label: 'Color of buttons and links', value: brand.accent?.chosen ?? '', example: '#2a56c6', hasPicker: true, problem: problemOf('accent') })}
      ${previewNote(problem ? '' : noteOf(brand))}
      ${logoField(brand, problemOf('logo'))}
      <input type="hidden" name="before" value="${JSON.stringify(fieldsOf(saved))}">
      <div class="buttons form-foot"><button class="solid">Save</button> <span class="muted" data-unsaved ${!problem && 'hidden'}>Unsaved changes</span>
        <a class="to-preview" href="#preview">Go to the preview</a>
        <button class="quiet" formaction="${path}/preview" formtarget="preview" data-without-script>Preview</button></div>
    </form>
    ${previewFrame(path, shown, '')}
  </div>`;
  return showPage(c, 'pages', main, {
    title: 'Name, color and logo',
    ...(problem && ({ status: 422 } as const)),
  });
}

function logoField({ logo }: Brand, problem: string): Html {
  const on = ({ width, height }: NonNullable<Brand['logo']>, page: 'light' | 'dark') =>
    html`<span class="plate ${page}"><img class="logo" src="${path}/logo" alt="The current logo on a ${page} page" width="${width}" height="${height}"></span>`;
  const noScript = html`<noscript> of at most ${maxLogoBytes / 1024} KB</noscript>`;
  const hint = html`A PNG, JPEG or WebP picture that stands out on light and dark pages${noScript}.`;
  const { attributes, texts } = describedBy('brand-logo', hint, problem);
  return html`<div class="field"><label for="brand-logo">Logo</label>
    ${
      logo &&
      html`<div class="with-logo">${on(logo, 'light')}${on(logo, 'dark')}
      <label class="button small quiet danger"><input type="checkbox" class="visually-hidden" name="without-logo" value="yes"> Remove the logo</label></div>`
    }
    <input id="brand-logo" name="logo" type="file" accept="image/png,image/jpeg,image/webp" ${attributes} data-small-image>
    <input type="hidden" name="small" value="" autocomplete="off">
    ${texts}</div>`;
}
