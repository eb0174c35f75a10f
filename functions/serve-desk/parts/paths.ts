/** Where the pages of the desk are. */
export const deskPath = '/desk';
export const filesPath = `${deskPath}/files`;
/** What a step of an import is sent to. */
export const stepPath = `${filesPath}/step`;
