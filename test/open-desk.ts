/** A desk on a table of a test's own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Table } from '../functions/persistence/table.ts';
import { type OperatorDesk, openDesk } from '../lib/operator/desk/desk.ts';
import { operatorOf } from '../lib/operator/session.ts';

/** Opens it; `close` removes its folder. */
export function openTestDesk(table: Table, organization = 'acme'): { desk: OperatorDesk; close: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'testimonials-test-desk-'));
  const explain = (error: unknown) => (error instanceof Error ? error.message : String(error));
  // What it waits for is then over.
  let aheadMs = 0;
  const now = () => new Date(table.now().getTime() + aheadMs);
  const sleep = async (milliseconds: number) => {
    aheadMs += milliseconds;
  };
  const desk = openDesk(
    operatorOf({ ...table, now }, () => 0),
    { organization, folder, sleep, explain },
  );
  return { desk, close: () => rmSync(folder, { recursive: true, force: true }) };
}
