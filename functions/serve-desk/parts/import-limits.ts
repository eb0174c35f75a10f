/** The largest import of the desk's page. The command line has no such limits. */
export const mostLines = 5000;
export const mostFileBytes = 4 * 1024 * 1024;
