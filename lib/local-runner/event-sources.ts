/** Feeds the template's functions with what is written to the embedded DynamoDB. */
import { organizationStore } from '../../functions/persistence/dynamodb-organization-store.ts';
import { indexRequestKey } from '../../functions/persistence/keys.ts';
import { withTable } from './connection.ts';
import type { RunningDynamoDb } from './dynamodb.ts';
import { EventSourceMapping } from './event-source-mapping.ts';
import type { LocalFunction } from './local-function.ts';
import { TableStream } from './table-stream.ts';
import type { ServiceTemplate } from './template.ts';

/**
 * Starts every event source mapping of the template. The stream begins now: an update of each organization's index is asked for
 * once, which finds what was written before.
 * @param log is told what goes wrong later, in one line each
 * @returns ends them, at once
 */
export async function startEventSources(
  { template, dynamoDb }: { template: ServiceTemplate; dynamoDb: RunningDynamoDb },
  functions: Map<string, LocalFunction>,
  log: (message: string) => void,
): Promise<() => Promise<void>> {
  const { watch, endpoint } = dynamoDb;
  if (!watch) {
    log(`Writes to ${endpoint} are not seen here: no index is updated, and no event is told.`);
    return async () => {};
  }
  const mappings: EventSourceMapping[] = [];
  const streams = template.eventSources.map((definition) => {
    const { functionId } = definition;
    const mapping = new EventSourceMapping({
      definition,
      invoke: async (event) => functions.get(functionId)?.invoke(event),
      onError: (message) => log(`${template.functions.get(functionId)?.name}: ${message}`),
    });
    mappings.push(mapping);
    return new TableStream(template.table, (record, shardId) => mapping.take(record, shardId));
  });
  const stopWatching = watch((write) => {
    for (const stream of streams) stream.write(write);
  });
  for (const organization of await withTable(endpoint, (table) => organizationStore(table).list())) {
    const { PK, SK } = indexRequestKey(organization);
    for (const stream of streams) stream.add('MODIFY', { PK: { S: PK }, SK: { S: SK } });
  }
  return async () => {
    stopWatching();
    for (const mapping of mappings) mapping.stop();
  };
}
