/** The largest number of testimonials that the desk imports at once. The command has no such limit. */
export const maxLines = 5000;
/** The largest file that the desk imports. The command accepts 256 MB. */
export const maxFileBytes = 4 * 1024 * 1024;

/** The largest step as sent. An event of Lambda can have 6 MB, and the body is in Base64. */
export const maxStepBytes = 4 * 1024 * 1024;
/** The largest step before it is compressed. */
export const maxUnpackedStepBytes = 32 * 1024 * 1024;
