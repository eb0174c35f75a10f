/** The names of organizations. */
import * as v from 'valibot';

/** Schema of an organization's name: 1–63 of `a-z`, `0-9`, `-`, beginning with a letter or digit. */
export const organizationName = v.pipe(
  v.string(),
  v.regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be 1 to 63 of a-z, 0-9 and -, beginning with a letter or digit'),
);
