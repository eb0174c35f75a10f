/** The parameters of a list as text, for whoever is not a request of the API. */
import * as v from 'valibot';
import type { ListQuery } from '../domain/list-query.ts';
import type { ErrorDetails } from '../http/api-error.ts';
import { describeIssues, queryValues } from '../http/validate.ts';
import { listQuery } from './parameters.ts';

/** The query of a list that parameters ask for, as in 'status=approved&search=great&page=3', or what is wrong with each. */
export function readListQuery(text: string): { query: ListQuery } | { wrong: ErrorDetails } {
  const { success, output, issues } = v.safeParse(listQuery, queryValues(text), { abortPipeEarly: true });
  return success ? { query: output.query } : { wrong: describeIssues(issues) };
}
