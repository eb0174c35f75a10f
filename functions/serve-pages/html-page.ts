/** The HTML document of every page. It includes its styles and script, and its policy allows nothing else. */
import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import { pageRoutes } from '../domain/page.ts';
import type { Tree } from './browser/view.ts';

/** Markup in which texts are escaped. */
export type Html = ReturnType<typeof html>;

export interface HtmlPage {
  lang: string;
  title: string;
  /** For search engines and link previews. */
  description: string;
  /** Absolute URL of the page. */
  url: string;
  /**
   * For link previews: the name of the site, and the path of an image that is smaller than the default one.
   */
  siteName?: string;
  logo?: string;
  /** False keeps the page out of search engines. */
  isIndexed: boolean;
  /** The color scheme of the page; the browser's by default. */
  colorScheme?: 'light' | 'dark';
  /** Minified style sheet and script of the page. */
  style: string;
  script: string;
  /** True runs the script before the body is parsed instead of after it. */
  isScriptFirst?: boolean;
  /** The id of an element before which browsers that support `rel=expect` (HTML) draw nothing. */
  drawnAfter?: string;
  /** True makes the whole page inert, so that nothing can be pressed or typed. */
  isPreview?: boolean | undefined;
  body: Html;
}

export function documentOf({
  lang,
  title,
  description,
  url,
  siteName,
  logo,
  isIndexed,
  colorScheme,
  style,
  script,
  isScriptFirst = false,
  drawnAfter,
  isPreview = false,
  body,
}: HtmlPage): Html {
  return html`<!doctype html>
<html lang="${lang}" dir="${directionOf(lang)}"${colorScheme && html` class="${colorScheme}"`}>
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="${colorScheme ?? 'light dark'}">
    <title>${title}</title>
    <meta name="description" content="${description}">
    ${!isIndexed && html`<meta name="robots" content="noindex">`}
    <link rel="canonical" href="${url}">
    <meta property="og:type" content="website">
    <meta property="og:title" content="${title}">
    <meta property="og:description" content="${description}">
    <meta property="og:url" content="${url}">
    ${siteName !== undefined && html`<meta property="og:site_name" content="${siteName}">`}
    <meta property="og:image" content="${new URL(logo ?? pageRoutes.shareImage, url).href}">
    <meta name="twitter:card" content="${logo === undefined ? 'summary_large_image' : 'summary'}">
    <link rel="icon" href="${icon}">
    ${drawnAfter && html`<link rel="expect" href="#${drawnAfter}" blocking="render">`}
    <style>${raw(style)}</style>
    ${isScriptFirst && html`<script>${raw(script)}</script>`}
  </head>
  <body${isPreview && raw(' inert')}>
    ${body}
    ${!isScriptFirst && html`<script type="module">${raw(script)}</script>`}
  </body>
</html>
`;
}

// Browsers would request /favicon.ico without it.
const icon = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20"><path fill="#d08700" d="M10 1.8l2.5 5.4 5.9.7-4.4 4 1.2 5.8-5.2-2.9-5.2 2.9L6 11.9l-4.4-4 5.9-.7z"/></svg>')}`;

/**
 * Returns the Content-Security-Policy of a page, which allows its own style sheet and script by their hashes.
 * Any website may frame the page.
 * @param allowed further sources of requests, pictures, and videos and sound
 */
export function policyOf(
  { style, script }: Pick<HtmlPage, 'style' | 'script'>,
  { connect = [], images = [], media = [] }: Partial<Record<'connect' | 'images' | 'media', string[]>> = {},
): string {
  const sha256 = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  return [
    "default-src 'none'",
    `style-src ${sha256(style)}`,
    `script-src ${sha256(script)}`,
    ["connect-src 'self'", ...connect].join(' '),
    ['img-src data:', ...images].join(' '),
    ...(media.length > 0 ? [['media-src', ...media].join(' ')] : []),
    "form-action 'self'",
    "base-uri 'none'",
  ].join('; ');
}

/** Returns the direction of a language's script: `ltr` or `rtl`. */
function directionOf(lang: string): string {
  return new Intl.Locale(lang).getTextInfo().direction ?? 'ltr';
}

/** Returns the markup of a tree, with escaped texts. */
export function markupOfTree(tree: Tree): Html {
  return raw(markupOf(tree));
}

function markupOf(node: Tree | string): string {
  if (typeof node === 'string') return escaped(node);
  const attributes = Object.entries(node.attributes).map(([name, value]) => ` ${name}="${escaped(value)}"`);
  const start = `<${node.tag}${attributes.join('')}>`;
  // The only void element of the trees.
  return node.tag === 'img' ? start : `${start}${node.children.map(markupOf).join('')}</${node.tag}>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
