/**
 * PostgreSQL with the indexes that an expert would create, and with an application that knows it well: counts
 * kept by a trigger, prepared statements, pages from the nearer end, and rows joined once their keys are
 * known.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import type { ListQuery } from '../../functions/domain/list-query.ts';
import { TextTerms } from '../../functions/domain/terms.ts';
import { foldLabel } from '../../functions/domain/visible-text.ts';
import { wordsOfSearch } from '../../functions/domain/words.ts';
import { generateTestimonials } from '../zipf/generate-testimonials.ts';
import { organization } from './dynamodb.ts';

const database = 'postgres';
const user = 'bench';
const rowsPerInsert = 2000;

// Few enough to sort in a millisecond or two.
const fewMatches = 5000;

// The data is thrown away, so nothing waits for the disk. The other settings are usual for a dedicated
// machine.
const settings = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'max_wal_size=8GB',
  'shared_buffers=1GB',
  'effective_cache_size=4GB',
  'work_mem=64MB',
  'maintenance_work_mem=512MB',
  // Queries are short, and compiling one takes some 100 ms.
  'random_page_cost=1.1',
  'jit=off',
];

export type PostgreSql = NonNullable<Awaited<ReturnType<typeof startPostgreSql>>>;

/** Starts PostgreSQL with a data folder and a socket of its own; undefined if it is not installed. */
export async function startPostgreSql() {
  const bin = findPrograms();
  if (!bin) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'testimonials-postgresql-'));
  const account = await accountFor(folder);
  const data = join(folder, 'data');
  const run = (program: string, ...args: string[]) =>
    execFileSync(join(bin, program), ['-D', data, ...args], { ...account, stdio: 'ignore' });
  const client = new pg.Client({ host: folder, user, database });
  const stop = async () => {
    await client.end().catch(() => {});
    if (existsSync(join(data, 'postmaster.pid'))) run('pg_ctl', '-w', '-m', 'immediate', 'stop');
    await rm(folder, { recursive: true, force: true });
  };
  try {
    run('initdb', '-U', user, '--auth=trust', '-E', 'UTF8', '--locale=C', '--no-sync');
    const options = [`-k ${folder} -h ''`, ...settings.map((setting) => `-c ${setting}`)].join(' ');
    run('pg_ctl', '-w', '-l', join(folder, 'log'), '-o', options, 'start');
    await client.connect();
    const { rows } = await client.query('SELECT version(), pg_backend_pid() AS pid');
    const version = String(rows[0]?.version).split(' ')[1];
    return {
      version,
      stop,
      list: listIn(client),
      load: (count: number, progress: (step: string) => void) => load(client, count, progress),
      cpuMs: cpuClockOf(Number(rows[0]?.pid)),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Returns the processor time of a process so far, in milliseconds; undefined where Linux does not report it.
 */
function cpuClockOf(pid: number): () => number | undefined {
  const file = `/proc/${pid}/schedstat`;
  if (!existsSync(file)) return () => undefined;
  return () => Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e6;
}

/** Returns the folder of the newest installed server. The client alone has a folder, too. */
function findPrograms(): string | undefined {
  const [initdb] = globSync('/usr/lib/postgresql/*/bin/initdb').sort().toReversed();
  return initdb && dirname(initdb);
}

/** PostgreSQL refuses to run as root, so it runs as the account of Debian's package. */
async function accountFor(folder: string): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  const account = { uid: id('-u'), gid: id('-g') };
  await chown(folder, account.uid, account.gid);
  return account;
}

/** Replaces the data by `count` generated testimonials. */
async function load(client: pg.Client, count: number, progress: (step: string) => void): Promise<void> {
  await client.query(`
    DROP TABLE IF EXISTS testimonials;
    CREATE TABLE testimonials (
      organization text NOT NULL,
      ordinal bigint NOT NULL,
      id text NOT NULL,
      content text NOT NULL,
      author jsonb NOT NULL,
      rating smallint NOT NULL,
      type text NOT NULL,
      status text NOT NULL,
      tags text[] NOT NULL,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      words tsvector NOT NULL,
      update_ordinal bigint NOT NULL,
      PRIMARY KEY (organization, ordinal)
    )`);
  let rows: unknown[] = [];
  let loaded = 0;
  const insert = async () => {
    await client.query(
      `INSERT INTO testimonials
       SELECT $1, (row->>0)::bigint, row->>1, row->>2, row->3, (row->>4)::smallint, row->>5, row->>6,
              ARRAY(SELECT jsonb_array_elements_text(row->7)), (row->>8)::timestamptz,
              (row->>9)::timestamptz, to_tsvector('simple', row->>10), (row->>11)::bigint
       FROM jsonb_array_elements($2::jsonb) row`,
      [organization, JSON.stringify(rows)],
    );
    loaded += rows.length;
    rows = [];
    if (loaded % 50_000 === 0) progress(`${loaded.toLocaleString('en')} rows in PostgreSQL`);
  };
  for (const { ordinal, updateOrdinal, testimonial } of generateTestimonials(count)) {
    const { id, content, author, rating, type, status, tags = [], createdAt, updatedAt } = testimonial;
    rows.push([
      ordinal,
      id,
      content,
      author,
      rating ?? 0,
      type,
      status,
      tags.map(foldLabel),
      // Our words: PostgreSQL's own configuration keeps accents.
      createdAt,
      updatedAt,
      [...new TextTerms(testimonial).words('whole')].join(' '),
      updateOrdinal,
    ]);
    if (rows.length === rowsPerInsert) await insert();
  }
  if (rows.length > 0) await insert();
  progress('indexes of PostgreSQL');
  for (const columns of [
    'organization, status, created_at, ordinal',
    'organization, status, updated_at, update_ordinal',
    'organization, status, rating, ordinal',
    'organization, type, created_at, ordinal',
    'organization, type, updated_at, update_ordinal',
    'organization, type, rating, ordinal',
    'organization, created_at, ordinal',
    'organization, updated_at, update_ordinal',
    'organization, rating, ordinal',
  ]) {
    // With the other filters and the key included, neither counting nor finding a page reads rows.
    const included = ['status', 'type', 'rating', ...(columns.includes(' ordinal') ? [] : ['ordinal'])];
    const others = included.filter((column) => !columns.includes(`, ${column}`));
    await client.query(`CREATE INDEX ON testimonials (${columns}) INCLUDE (${others.join(', ')})`);
  }
  await client.query('CREATE INDEX ON testimonials USING gin (tags)');
  await client.query('CREATE INDEX ON testimonials USING gin (words)');
  await client.query(counts);
  await client.query('VACUUM (ANALYZE) testimonials, counts');
}

// The fields of a response.
const columns = 'id, content, author, rating, type, status, tags, created_at, updated_at';

/**
 * Hides a rare match in a subquery that the planner may not look through: otherwise it walks the index of the
 * sort and expects to find a page of matches soon.
 */
function sourceOf(where: string, isFew: boolean): string {
  return isFew
    ? `(SELECT * FROM testimonials WHERE ${where} OFFSET 0) AS matching`
    : `testimonials WHERE ${where}`;
}

/** Counts by status, type and rating, as a trigger would keep them. */
const counts = `
  DROP TABLE IF EXISTS counts;
  CREATE TABLE counts (
    organization text, status text, type text, rating smallint, count bigint NOT NULL,
    PRIMARY KEY (organization, status, type, rating)
  );
  INSERT INTO counts SELECT organization, status, type, rating, count(*) FROM testimonials GROUP BY 1, 2, 3, 4`;

function listIn(client: pg.Client) {
  const names = new Map<string, string>();
  // Each text is prepared once.
  const ask = (text: string, values: unknown[]) => {
    const name = names.get(text) ?? `list-${names.size}`;
    names.set(text, name);
    return client.query({ name, text, values });
  };
  return async (query: ListQuery) => {
    const { where, values } = toSql(query);
    const { tags, search, type, rating } = query.filter;
    const isByWords = tags !== undefined || search !== undefined;
    const counted = isByWords
      ? await ask(`SELECT count(*) FROM testimonials WHERE ${where}`, values)
      : await ask(`SELECT coalesce(sum(count), 0) AS count FROM counts WHERE ${where}`, values);
    const total = Number(counted.rows[0]?.count);
    const first = (query.page - 1) * query.limit;
    if (total <= first) return { ids: [], total };
    const size = Math.min(query.limit, total - first);
    const isFromEnd = total - first - size < first;
    const offset = isFromEnd ? total - first - size : first;
    const order = orderOf(query, isFromEnd);
    const isFew = (isByWords || type || rating !== undefined) && total <= fewMatches;
    const [limit, skipped] = [`$${values.length + 1}`, `$${values.length + 2}`];
    // The offset passes over keys only; the page's rows are read by their keys.
    const page = await ask(
      `SELECT ${columns} FROM testimonials
       JOIN (SELECT organization, ordinal FROM ${sourceOf(where, isFew)} ORDER BY ${order} LIMIT ${limit} OFFSET ${skipped}) AS page
       USING (organization, ordinal) ORDER BY ${order}`,
      [...values, size, offset],
    );
    const ids = page.rows.map(({ id }) => String(id));
    return { ids: isFromEnd ? ids.toReversed() : ids, total };
  };
}

const sortColumns = {
  createdAt: ['created_at', 'ordinal'],
  updatedAt: ['updated_at', 'update_ordinal'],
  rating: ['rating', 'ordinal'],
} as const;

function toSql({ filter }: ListQuery) {
  const { status, type, rating, tags, search } = filter;
  const values: unknown[] = [organization];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const conditions = ['organization = $1'];
  if (status) conditions.push(`status = ${parameter(status)}`);
  if (type) conditions.push(`type = ${parameter(type)}`);
  if (rating !== undefined) conditions.push(`rating >= ${parameter(rating)}`);
  if (tags) conditions.push(`tags && ${parameter(tags.map(foldLabel))}::text[]`);
  if (search !== undefined) {
    const prefixes = wordsOfSearch(search)
      .flat()
      .map((word) => `${word}:*`);
    conditions.push(`words @@ to_tsquery('simple', ${parameter(prefixes.join(' & '))})`);
  }
  return { where: conditions.join(' AND '), values };
}

function orderOf({ sort, order }: Pick<ListQuery, 'sort' | 'order'>, isReversed = false): string {
  const direction = isReversed ? { asc: 'desc', desc: 'asc' }[order] : order;
  return sortColumns[sort].map((column) => `${column} ${direction}`).join(', ');
}
