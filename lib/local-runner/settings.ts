/** The settings of the local service, from environment variables, and the connection to its DynamoDB. */
import * as v from 'valibot';
import { openTable, type Table } from '../../functions/dynamodb/table.ts';
import { logFormats } from './service-log.ts';

const isPort = (value: string) => /^\d{1,5}$/.test(value) && Number(value) <= 65_535;
const port = v.pipe(v.string(), v.check(isPort, 'must be a port number'), v.transform(Number));

const settings = v.object({
  /** Port of the API; 0 for a free port. */
  PORT: v.optional(port, '3000'),
  /** Folder for the data of the embedded DynamoDB, or `:memory:`. */
  DATA_DIR: v.optional(v.pipe(v.string(), v.minLength(1, 'must not be empty')), '.local'),
  /** URL of a DynamoDB to use instead of the embedded one. */
  DYNAMODB_ENDPOINT: v.optional(v.pipe(v.string(), v.url('must be a URL like http://127.0.0.1:8000'))),
  /** Port of the embedded DynamoDB; 0 for a free port. */
  DYNAMODB_PORT: v.optional(port, '8000'),
  /** `text` for people, `json` for programs. */
  LOG_FORMAT: v.optional(v.picklist(logFormats, `must be ${logFormats.join(' or ')}`), 'text'),
});

export type Settings = v.InferOutput<typeof settings>;

/**
 * Reads the settings. An empty variable counts as absent.
 * @throws one line that names the invalid variables
 */
export function readSettings(variables: Record<string, string | undefined>): Settings {
  const present = Object.fromEntries(Object.entries(variables).filter(([, value]) => value));
  const { success, output, issues } = v.safeParse(settings, present);
  if (success) return output;
  throw new Error(issues.map((issue) => `${v.getDotPath(issue)} ${issue.message}`).join('; '));
}

/** Returns the endpoint of the DynamoDB that `npm start` starts or uses. */
export function endpointOf({ DYNAMODB_ENDPOINT, DYNAMODB_PORT }: Settings): string {
  return DYNAMODB_ENDPOINT ?? `http://127.0.0.1:${DYNAMODB_PORT}`;
}

export const localTableName = 'testimonials';

/** The region that a local DynamoDB reports. */
export const localRegion = 'us-east-1';

/** Returns the configuration of an SDK client for a local DynamoDB, which accepts any credentials. */
export function localClientConfig(endpoint: string) {
  return {
    endpoint,
    region: localRegion,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  };
}

/** Returns the environment variables for a function that uses the table of a local DynamoDB. */
export function variablesFor(endpoint: string): Record<string, string> {
  const { credentials } = localClientConfig(endpoint);
  return {
    TABLE_NAME: localTableName,
    AWS_REGION: localRegion,
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  };
}

/** Calls a function with the table, and closes its connections afterwards. */
export async function withTable<Result>(
  endpoint: string,
  work: (table: Table) => Promise<Result>,
): Promise<Result> {
  // The functions log unreadable items, which must not prevent the service from starting.
  const table = openTable(localTableName, { onUnreadable: () => {}, config: localClientConfig(endpoint) });
  try {
    return await work(table);
  } finally {
    table.client.destroy();
  }
}
