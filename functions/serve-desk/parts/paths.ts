/** Where the pages of the desk are. */
export const deskPath = '/desk';
