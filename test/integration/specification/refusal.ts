/** An error answer reduced to what the specification fixes of it. */
import type { Answer } from '../../api-client.ts';

export interface Refusal {
  status: number;
  code: string;
  /** The keys of `details`, sorted; undefined when the answer has no details. */
  fields: string[] | undefined;
}

/** Reads an answer's status, error code and the names that its details hold. */
export function refusalOf({ status, body }: Answer): Refusal {
  const details = body.error?.details;
  return { status, code: body.error?.code, fields: details && Object.keys(details).sort() };
}

/** The refusal of a body that breaks field rules. */
export function invalid(...fields: string[]): Refusal {
  return { status: 422, code: 'validation_error', fields: fields.sort() };
}

/** The refusal of a malformed request. */
export function malformed(...fields: string[]): Refusal {
  return { status: 400, code: 'bad_request', fields: fields.sort() };
}
