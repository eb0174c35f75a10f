/** The list parameters that a wall takes: as attributes of the live wall, and as fields of the desk's wall pages. */
import type { ParameterValues } from '../list-testimonials/parameters.ts';

/** A wall shows approved testimonials and loads its pages by itself. */
export type WallParameter = Exclude<keyof ParameterValues, 'page' | 'status'>;

/** The default of each parameter; empty if the list's own default applies. */
export const wallDefaults: Record<WallParameter, string> = {
  limit: '12',
  rating: '',
  tags: '',
  search: '',
  type: '',
  sort: '',
  order: '',
};

export const wallParameters = Object.keys(wallDefaults) as WallParameter[];
