/** Icons from Bootstrap Icons (MIT). The style sheet refers to their file. */
import { html } from 'hono/html';

export const iconNames = [
  'arrow-counterclockwise',
  'bar-chart',
  'box-arrow-up-right',
  'card-text',
  'chat-quote',
  'check-lg',
  'code-slash',
  'folder',
  'grid',
  'grip-vertical',
  'inbox',
  'palette',
  'people',
  'person-circle',
  'qr-code',
  'search',
  'skip-forward',
  'sliders',
  'window-stack',
  'x-lg',
] as const;

export type IconName = (typeof iconNames)[number];

/** Returns an icon that accompanies a word. */
export function icon(name: IconName): ReturnType<typeof html> {
  return html`<span class="icon icon-${name}" aria-hidden="true"></span>`;
}
