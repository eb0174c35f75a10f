/** Where the desk is. */
export const base = '/desk';

/** Where an invitation is opened. */
export const openPath = `${base}/open`;

/** The link that opens the desk: its secret stands behind `#`, which browsers do not send, so that no log has it. */
export function linkOf(api: string, secret: string): string {
  return `${api.replace(/\/+$/, '')}${openPath}#${secret}`;
}
