/** Runs the check in this process, in the time of the service. */

import { type Printed, printedBy } from './admin.ts';
import { runCheck } from './check/run.ts';
import { actAs } from './iam/acting.ts';
import type { ServedApi } from './served-api.ts';

/** Runs the check of a service, with further options. */
export function checkOf(service: ServedApi, ...args: string[]): Promise<Printed> {
  const { url, table, endpoint } = service;
  return runCheckOf(service, ['--url', url, '--table', table.name, '--endpoint', endpoint, ...args]);
}

/** Runs the command in the time of a service. */
export async function runCheckOf(
  { clock, sleep }: Pick<ServedApi, 'clock' | 'sleep'>,
  args: readonly string[],
): Promise<Printed> {
  return printedBy({ clock, sleep }, (io) => actAs('Operator/Write', () => runCheck(args, io)));
}
