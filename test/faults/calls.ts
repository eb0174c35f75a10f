/** Names calls to the table by operation and item: “PutItem change marker”, and calls of the bucket alike. */

interface Body {
  Key?: Attributes;
  Item?: Attributes;
  IndexName?: string;
  ExpressionAttributeValues?: Attributes;
  RequestItems?: Record<string, { Keys: Attributes[] } | BatchedWrite[]>;
}

interface BatchedWrite {
  DeleteRequest?: { Key: Attributes };
  PutRequest?: { Item: Attributes };
}

type Attributes = Record<string, { S?: string } | undefined>;

const bucketOperations: Record<string, string> = {
  HEAD: 'HeadObject',
  GET: 'GetObject',
  PUT: 'PutObject',
  DELETE: 'DeleteObject',
};

/** Names a call of the bucket: “DeleteObject upload of a photo”. Copies of all kinds have one name. */
export function bucketCallOf(call: string): { operation: string; label: string } {
  const [, method = '', key = '', query = ''] = /^(\w+) ([^?]*)(.*)$/.exec(call) ?? [];
  const operation = `${bucketOperations[method]}${query.includes('tagging') ? 'Tagging' : ''}`;
  const kind = /^in\/.*\/(\w+)$/.exec(key)?.[1];
  return { operation, label: `${operation} ${kind === undefined ? 'copy' : `upload of a ${kind}`}` };
}

/** @param body of the request */
export function labelOf(operation: string, body: string): string {
  return `${operation} ${subjectOf(JSON.parse(body))}`;
}

function subjectOf({ Key, Item, IndexName, ExpressionAttributeValues: values, RequestItems }: Body): string {
  if (IndexName !== undefined) return 'secondary index';
  if (values?.[':partition']) {
    const { ':partition': partition, ...range } = values;
    return kindOfItem(partition.S, Object.values(range)[0]?.S, true);
  }
  const [batch] = Object.values(RequestItems ?? {});
  const first = Array.isArray(batch)
    ? (batch[0]?.DeleteRequest?.Key ?? batch[0]?.PutRequest?.Item)
    : batch?.Keys[0];
  const key = Key ?? Item ?? first;
  return kindOfItem(key?.PK?.S, key?.SK?.S, false);
}

// By sort key; a range of several kinds by its beginning.
const ofOrganization: [prefix: string, kind: string, range: string][] = [
  ['TESTIMONIAL#', 'testimonial', 'tail'],
  ['TESTIMONIAL_CHANGE#', 'change marker', 'change markers'],
  ['TESTIMONIAL_INDEX', 'index head', 'index head'],
  ['COUNTER', 'counter', 'counter'],
  ['BRAND', 'brand', 'brand'],
  ['INDEX_REQUEST', 'index update request', 'index update request'],
  ['IMPORT#', 'import', 'imports'],
  ['IMPORT_POSITIONS#', 'places of an import', 'places of imports'],
];

const otherPartitions: [pattern: RegExp, kind: string][] = [
  [/^TOKEN#/, 'token'],
  [/^PAGE#/, 'page'],
  [/^ORGANIZATIONS$/, 'organization'],
  [/#KEY#/, 'idempotency key'],
  [/#BUDGET$/, 'budget'],
  [/#ERASURES$/, 'texts of an erasure'],
  [/#SUMMARY#/, 'summary'],
  [/#ORDINALS$/, 'ordinals'],
  [/#(FACET|TEXTS|WORDS)#/, 'posting'],
];

function kindOfItem(partition = '', sortKey = '', isRange: boolean): string {
  const other = otherPartitions.find(([pattern]) => pattern.test(partition));
  if (other) return other[1];
  const item = ofOrganization.find(([prefix]) => sortKey.startsWith(prefix));
  if (!item) throw new Error(`No kind of item has the key ${partition} ${sortKey}`);
  return isRange ? item[2] : item[1];
}
