/** The largest import of the desk's page. The command line has no such limits. */
export const maxLines = 5000;
export const maxFileBytes = 4 * 1024 * 1024;

/** The largest step as sent. An event of Lambda can have 6 MB, and the body is in Base64. */
export const maxStepBytes = 4 * 1024 * 1024;
/** The largest step before it is compressed. */
export const maxUnpackedStepBytes = 32 * 1024 * 1024;
