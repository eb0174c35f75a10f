/** Markup in which a text is never more than text. */
import type { html } from 'hono/html';

export type Html = ReturnType<typeof html>;
