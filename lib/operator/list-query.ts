/** List parameters, as the operator types them. */
import * as v from 'valibot';
import type { ListQuery } from '../../functions/domain/list-query.ts';
import { queryValues } from '../../functions/http/validate.ts';
import { listQuery, parameters } from '../../functions/list-testimonials/query.ts';

/**
 * Reads the parameters of a list, as in 'status=approved&search=great&page=3'.
 * @param warn told of each parameter that a list does not have
 * @throws what a list would refuse
 */
export function readListQuery(text: string, warn: (line: string) => void): ListQuery {
  const parsed = v.safeParse(listQuery, queryValues(text), { abortPipeEarly: true });
  if (!parsed.success) {
    throw new Error(parsed.issues.map((issue) => `${v.getDotPath(issue)} ${issue.message}`).join('; '));
  }
  const unknown = [...new URLSearchParams(text).keys()].filter((name) => !(name in parameters));
  for (const name of unknown) warn(`A list has no parameter ${name}: it is ignored.`);
  return parsed.output.query;
}
