/** Observes every call to a table, and can fail it. */
import type { Table } from '../functions/dynamodb/table.ts';

/**
 * Calls `onCall` with the name and input of each command from now on. An error that it throws fails the
 * command.
 */
export function onTableCall({ client }: Table, onCall: (commandName: string, input: object) => void): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        onCall(String(commandName), args.input);
        return next(args);
      },
    { step: 'initialize', name: 'onTableCall', override: true },
  );
}
