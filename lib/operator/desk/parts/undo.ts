/** Undoing an import: the button that asks, and the one that does it. */
import { html } from 'hono/html';
import type { HeldImport } from '../held-import.ts';
import type { Html } from './layout.ts';

/** Leads to what would be erased, where there is an import to undo. */
export function undoForm({ isUndoable }: HeldImport): Html | '' {
  if (!isUndoable) return '';
  return html`<form method="post" action="/files"><input type="hidden" name="do" value="ask to undo"><button>Undo this import</button></form>`;
}

export function confirmUndoForm(): Html {
  return html`<form method="post" action="/files"><input type="hidden" name="do" value="undo"><button class="danger solid">Undo this import for good</button></form>`;
}
