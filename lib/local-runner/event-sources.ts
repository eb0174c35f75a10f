/** Feeds the template's functions from the streams of its tables. */
import { join } from 'node:path';
import { QueryCommand } from '@aws-sdk/client-dynamodb';
import type { AttributeValue as EventValue } from 'aws-lambda';
import { organizationPartition, prefixes, tableKey } from '../../functions/persistence/keys.ts';
import { ensureStream, type RunningDynamoDb, withClient } from './dynamodb.ts';
import { EventSourceMapping } from './event-source-mapping.ts';
import type { LocalFunction } from './local-function.ts';
import { ObservedWrites } from './observed-writes.ts';
import type { RecordSource } from './record-source.ts';
import type { Settings } from './settings.ts';
import type { DiscardedBatch } from './stream-lane.ts';
import { StreamReader } from './stream-reader.ts';
import type { ServiceTemplate, TemplateEventSource } from './template.ts';
import { UndeliveredOrganizations } from './undelivered-organizations.ts';

export interface StreamedService {
  template: ServiceTemplate;
  dynamoDb: RunningDynamoDb;
  settings: Pick<Settings, 'DATA_DIR' | 'STREAM_SHARDS'>;
}

/**
 * Starts every event source mapping of the template.
 * @param log is told what goes wrong later, in one line each
 * @returns ends them, at once
 */
export async function startEventSources(
  service: StreamedService,
  functions: Map<string, LocalFunction>,
  log: (message: string) => void,
): Promise<() => Promise<void>> {
  const mappings: EventSourceMapping[] = [];
  for (const definition of service.template.eventSources) {
    const name = functionOf(service, definition).name;
    const onError = (message: string) => log(`${name}: ${message}`);
    const source = await sourceOf(service, definition, onError);
    if (!source) {
      log(`${service.dynamoDb.endpoint} has no streams: ${name} runs where that DynamoDB does.`);
      continue;
    }
    const invoke = async (event: unknown) => functions.get(definition.functionId)?.invoke(event);
    const { onFailure = 'nobody' } = definition;
    const onDiscarded = (batch: DiscardedBatch) => onError(`${onFailure} is told ${JSON.stringify(batch)}`);
    const mapping = new EventSourceMapping({ definition, source, invoke, onError, onDiscarded });
    await mapping.start();
    mappings.push(mapping);
  }
  return async () => {
    for (const mapping of mappings) mapping.stop();
  };
}

/** Without running the functions: remembers what is written to the embedded DynamoDB for the next start. */
export async function rememberWrites(service: StreamedService): Promise<void> {
  for (const definition of service.template.eventSources) {
    await embeddedSource(service, definition)?.start(definition.accepts, () => {});
  }
}

async function sourceOf(
  service: StreamedService,
  definition: TemplateEventSource,
  onError: (message: string) => void,
): Promise<RecordSource | undefined> {
  const embedded = embeddedSource(service, definition);
  if (embedded) return embedded;
  const { endpoint } = service.dynamoDb;
  const { name, streamViewType } = tableOf(service, definition);
  const arn = streamViewType && (await ensureStream(endpoint, name, streamViewType));
  return arn === undefined ? undefined : new StreamReader(endpoint, arn, onError);
}

function embeddedSource(service: StreamedService, definition: TemplateEventSource) {
  const { watch, endpoint } = service.dynamoDb;
  const { DATA_DIR, STREAM_SHARDS: shards } = service.settings;
  if (!watch) return undefined;
  const table = tableOf(service, definition);
  const file = `undelivered-${functionOf(service, definition).name}.json`;
  return new ObservedWrites({
    watch,
    table,
    shards,
    undelivered: new UndeliveredOrganizations(DATA_DIR === ':memory:' ? undefined : join(DATA_DIR, file)),
    keysOf: (organization) => lastKeys(endpoint, table.name, organization),
  });
}

/** The keys of an organization's last testimonial and last change marker: who folds up to these has folded all. */
function lastKeys(
  endpoint: string,
  tableName: string,
  organization: string,
): Promise<Record<string, EventValue>[]> {
  const lastOf = (prefix: string) =>
    new QueryCommand({
      TableName: tableName,
      KeyConditionExpression: '#partition = :partition AND begins_with(#sort, :prefix)',
      ExpressionAttributeNames: { '#partition': tableKey.partition, '#sort': tableKey.sort },
      ExpressionAttributeValues: {
        ':partition': { S: organizationPartition(organization) },
        ':prefix': { S: prefix },
      },
      ProjectionExpression: '#partition, #sort',
      ScanIndexForward: false,
      Limit: 1,
      ConsistentRead: true,
    });
  return withClient(endpoint, async (client) => {
    const last = [prefixes.testimonial, prefixes.changeMarker].map(lastOf);
    const found = await Promise.all(last.map((query) => client.send(query)));
    // Keys of this table are strings, which the SDK and Lambda's events have alike.
    return found.flatMap(({ Items = [] }) => Items) as Record<string, EventValue>[];
  });
}

function functionOf({ template }: StreamedService, { functionId }: TemplateEventSource) {
  const found = template.functions.get(functionId);
  if (!found)
    throw new Error(`An event source names the function ${functionId}, which the template has not.`);
  return found;
}

function tableOf({ template }: StreamedService, { tableId }: TemplateEventSource) {
  const found = template.tables.find(({ logicalId }) => logicalId === tableId);
  if (!found) throw new Error(`An event source names the table ${tableId}, which the template has not.`);
  return found;
}
