/** The files of a wall, and how a host sends them. */

/** Content types by name. */
export const wallFiles = {
  'index.html': 'text/html; charset=utf-8',
  'testimonials.json': 'application/json',
  'wall.css': 'text/css; charset=utf-8',
  'theme.css': 'text/css; charset=utf-8',
  'columns.js': 'text/javascript; charset=utf-8',
  'wall.js': 'text/javascript; charset=utf-8',
  'embed.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;

export type WallFile = keyof typeof wallFiles;

/** What a page of the wall may load and do. The page says it itself; a host may send it as a header too. */
export const contentSecurityPolicy = "default-src 'self'; base-uri 'none'; form-action 'none'";
