/** PostgreSQL with the indexes that an expert would give it, started with a data folder and a socket of its own. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import type { ListQuery } from '../../functions/domain/list-query.ts';
import { TextTerms } from '../../functions/domain/terms.ts';
import { foldCase, wordsOfSearch } from '../../functions/domain/words.ts';
import { generateTestimonials } from '../zipf/generate-testimonials.ts';
import type { MeteredContender } from './contender.ts';
import { organization } from './engine.ts';

const debianFolder = '/usr/lib/postgresql';
const database = 'postgres';
const user = 'bench';
const startTimeoutMs = 30_000;
const rowsPerInsert = 2000;

// Few enough to be sorted in a millisecond or two.
const fewMatches = 5000;

// Nothing is to survive: no waiting for the disk. The rest is what a dedicated machine would get.
const settings = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'max_wal_size=8GB',
  'shared_buffers=1GB',
  'effective_cache_size=4GB',
  'work_mem=64MB',
  'maintenance_work_mem=512MB',
  'random_page_cost=1.1',
  // As is usual where queries are short: compiling one takes some 100 ms.
  'jit=off',
];

export interface PostgreSql extends MeteredContender {
  version: string;
  /** The same database, with counts that a trigger keeps, prepared statements, pages from the nearer end and rows joined late. */
  best: MeteredContender;
  /** Replaces the data by `count` generated testimonials. */
  load(count: number, progress: (step: string) => void): Promise<void>;
  stop(): Promise<void>;
}

/** Starts PostgreSQL; undefined when it is not installed. */
export async function startPostgreSql(): Promise<PostgreSql | undefined> {
  const bin = await findPrograms();
  if (!bin) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'testimonials-postgresql-'));
  const account = await accountFor(folder);
  const data = join(folder, 'data');
  let server: ChildProcess | undefined;
  let client: pg.Client | undefined;
  const stop = async () => {
    await client?.end();
    if (server && server.exitCode === null) {
      // Fast shutdown.
      server.kill('SIGINT');
      await once(server, 'exit');
    }
    await rm(folder, { recursive: true, force: true });
  };
  try {
    execFileSync(
      join(bin, 'initdb'),
      ['-D', data, '-U', user, '--auth=trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
      { ...account, stdio: 'pipe' },
    );
    const options = settings.flatMap((setting) => ['-c', setting]);
    server = spawn(join(bin, 'postgres'), ['-D', data, '-k', folder, '-h', '', ...options], {
      ...account,
      stdio: 'ignore',
    });
    client = await connect(folder, server);
    const { rows } = await client.query('SHOW server_version');
    const cpuMs = await processorTimeOf(client);
    const version = String(rows[0]?.server_version);
    return { ...contender(client), cpuMs, best: { ...bestContender(client), cpuMs }, version, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function contender(client: pg.Client): Pick<PostgreSql, 'load' | 'list'> {
  return {
    async load(count, progress) {
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
          ...[ordinal, id, content, author, rating ?? 0, type, status, tags.map(foldCase)],
          // Indexed by us: PostgreSQL's own configuration keeps accents.
          ...[createdAt, updatedAt, [...new TextTerms(testimonial).words('whole')].join(' '), updateOrdinal],
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
        // What the other filters ask for is included, and the key, so that neither counting nor finding a page visits the rows.
        const included = ['status', 'type', 'rating', ...(columns.includes(' ordinal') ? [] : ['ordinal'])];
        const others = included.filter((column) => !columns.includes(`, ${column}`));
        await client.query(`CREATE INDEX ON testimonials (${columns}) INCLUDE (${others.join(', ')})`);
      }
      await client.query('CREATE INDEX ON testimonials USING gin (tags)');
      await client.query('CREATE INDEX ON testimonials USING gin (words)');
      await client.query(countsByTrigger);
      await client.query('VACUUM (ANALYZE) testimonials, counts');
    },

    async list(query) {
      const { where, values } = toSql(query);
      const first = (query.page - 1) * query.limit;
      const count = await client.query({ text: `SELECT count(*) FROM testimonials WHERE ${where}`, values });
      const total = Number(count.rows[0]?.count);
      if (total <= first) return { ids: [], total };
      const { type, rating, tags, search } = query.filter;
      const isBeyondIndex = [type, rating, tags, search].some((each) => each !== undefined);
      const page = await client.query({
        text: `SELECT ${columns} FROM ${sourceOf(where, isBeyondIndex && total <= fewMatches)}
               ORDER BY ${orderOf(query)} LIMIT ${query.limit} OFFSET ${first}`,
        values,
      });
      return { ids: page.rows.map(({ id }) => String(id)), total };
    },
  };
}

// What an answer has of a testimonial.
const columns = 'id, content, author, rating, type, status, tags, created_at, updated_at';

/**
 * The planner expects to meet a page of a rare match soon while it walks the index of the sort. Where few match, it is
 * kept from that: by a subquery that it may not look through.
 */
function sourceOf(where: string, isFew: boolean): string {
  return isFew
    ? `(SELECT * FROM testimonials WHERE ${where} OFFSET 0) AS matching`
    : `testimonials WHERE ${where}`;
}

/** Counts by status, type and rating, which each change of a testimonial brings up to date. */
const countsByTrigger = `
  DROP TABLE IF EXISTS counts;
  CREATE TABLE counts (
    organization text, status text, type text, rating smallint, count bigint NOT NULL,
    PRIMARY KEY (organization, status, type, rating)
  );
  INSERT INTO counts SELECT organization, status, type, rating, count(*) FROM testimonials GROUP BY 1, 2, 3, 4;
  CREATE OR REPLACE FUNCTION count_testimonial() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP <> 'INSERT' THEN
      UPDATE counts SET count = count - 1
      WHERE (organization, status, type, rating) = (OLD.organization, OLD.status, OLD.type, OLD.rating);
    END IF;
    IF TG_OP <> 'DELETE' THEN
      INSERT INTO counts VALUES (NEW.organization, NEW.status, NEW.type, NEW.rating, 1)
      ON CONFLICT (organization, status, type, rating) DO UPDATE SET count = counts.count + 1;
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER count_testimonial AFTER INSERT OR UPDATE OR DELETE ON testimonials
    FOR EACH ROW EXECUTE FUNCTION count_testimonial()`;

/** What an application can do that knows PostgreSQL well. */
function bestContender(client: pg.Client): Pick<PostgreSql, 'list'> {
  const names = new Map<string, string>();
  // Prepared once, by its text.
  const ask = (text: string, values: unknown[]) => {
    const name = names.get(text) ?? `list-${names.size}`;
    names.set(text, name);
    return client.query({ name, text, values });
  };
  return {
    async list(query) {
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
      // Only the keys of the page are passed; its rows are read by them.
      const page = await ask(
        `SELECT ${columns} FROM testimonials
         JOIN (SELECT organization, ordinal FROM ${sourceOf(where, isFew)} ORDER BY ${order} LIMIT ${limit} OFFSET ${skipped}) AS page
         USING (organization, ordinal) ORDER BY ${order}`,
        [...values, size, offset],
      );
      const ids = page.rows.map(({ id }) => String(id));
      return { ids: isFromEnd ? ids.toReversed() : ids, total };
    },
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
  if (tags) conditions.push(`tags && ${parameter(tags.map(foldCase))}::text[]`);
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

/** The processor time of the process that serves a client, as Linux tells it. */
async function processorTimeOf(client: pg.Client): Promise<() => number | undefined> {
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  const file = `/proc/${Number(rows[0]?.pid)}/schedstat`;
  if (!existsSync(file)) return () => undefined;
  return () => Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e6;
}

async function findPrograms(): Promise<string | undefined> {
  const versions = await readdir(debianFolder).catch(() => []);
  for (const version of versions.toSorted((a, b) => Number(b) - Number(a))) {
    const bin = join(debianFolder, version, 'bin');
    // The client alone has a folder there too.
    if (existsSync(join(bin, 'initdb'))) return bin;
  }
  return undefined;
}

/** PostgreSQL does not run as root: it gets the account that Debian's package made. */
async function accountFor(folder: string): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  const account = { uid: id('-u'), gid: id('-g') };
  await chown(folder, account.uid, account.gid);
  return account;
}

async function connect(host: string, server: ChildProcess): Promise<pg.Client> {
  const until = Date.now() + startTimeoutMs;
  for (;;) {
    const client = new pg.Client({ host, user, database });
    // The query that then fails says so too.
    client.on('error', () => {});
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => {});
      if (server.exitCode !== null || Date.now() > until) throw error;
      await wait(100);
    }
  }
}
