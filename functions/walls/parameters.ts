/**
 * The list parameters that a wall takes: attributes of the live wall, and fields of the desk's wall pages. `wall-page.ts` checks that
 * none is missing; this file imports nothing, because browsers load it.
 */
export const wallDefaults = {
  limit: '12',
  // Empty: the list's own default applies.
  rating: '',
  tags: '',
  search: '',
  type: '',
  sort: '',
  order: '',
};

export type WallParameter = keyof typeof wallDefaults;

export const wallParameters = Object.keys(wallDefaults) as WallParameter[]; // of a constant
