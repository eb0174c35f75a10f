/** Sees every call to a table, and can let it fail. */
import type { Table } from '../functions/persistence/table.ts';

/** Runs `onCall` with the name of each command sent from now on; what it throws fails the call. */
export function onTableCall({ client }: Table, onCall: (commandName: string) => void): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        onCall(String(commandName));
        return next(args);
      },
    { step: 'initialize', name: 'onTableCall', override: true },
  );
}
