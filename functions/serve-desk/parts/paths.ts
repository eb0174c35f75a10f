/** The paths of the desk's pages. */
export const deskPath = '/desk';
export const filesPath = `${deskPath}/files`;
/** The path that receives the steps of an import. */
export const stepPath = `${filesPath}/step`;
