/** The stores that commands and the check of a deployment share. */
import { deskStore } from '../../functions/accounts/dynamodb-desk-store.ts';
import { organizationStore } from '../../functions/accounts/dynamodb-organization-store.ts';
import { pageStore } from '../../functions/accounts/dynamodb-page-store.ts';
import { tokenStore } from '../../functions/accounts/dynamodb-token-store.ts';
import type { Table } from '../../functions/dynamodb/table.ts';
import { openChanges } from '../../functions/testimonials/changes.ts';
import { openMaintenance } from '../../functions/testimonials/maintenance.ts';

/** The stores of a table, and the clock of its database. */
export type TableStores = ReturnType<typeof tableStores>;

/** @param clock this machine's time, in milliseconds */
export function tableStores(table: Table, clock: () => number = Date.now) {
  return {
    table,
    now: table.now,
    clock,
    changesOf: openChanges(table),
    maintenanceOf: openMaintenance(table),
    tokens: tokenStore(table),
    organizations: organizationStore(table),
    desks: deskStore(table),
    pages: pageStore(table),
  };
}
