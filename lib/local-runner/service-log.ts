/** The log of the local service: a line a request for people, or all that its functions log. */
import QuickLRU from 'quick-lru';
import * as v from 'valibot';
import { withoutSecrets } from '../../functions/domain/token.ts';

export const logFormats = ['text', 'json'] as const;

export type LogFormat = (typeof logFormats)[number];

/** A request that the gateway has answered. */
export interface AnsweredRequest {
  requestId: string;
  method: string;
  /** Without the query, which may have what people search for. */
  path: string;
  status: number;
  body: Buffer;
  milliseconds: number;
  /** Why no function answered it. */
  error?: unknown;
}

/** Is told what happens, and prints what people or programs should read of it. */
export interface ServiceLog {
  /** Takes the text that a function prints: one line, or several that stand together. */
  printed(text: string): void;
  answered(request: AnsweredRequest): void;
  /** Takes an event or a failure beside all requests. */
  told(message: string): void;
}

export function serviceLog(format: LogFormat, print: (text: string) => void): ServiceLog {
  return format === 'json' ? functionsLog(print) : readableLog(print);
}

/** The functions' log lines and metrics as they are. */
function functionsLog(print: (text: string) => void): ServiceLog {
  const told = (message: string) => print(`${message}\n`);
  return {
    printed: print,
    answered: ({ error }) => {
      if (error !== undefined) told(messageOf(error));
    },
    told,
  };
}

// As the logger writes an error.
const describedError = v.object({ stack: v.pipe(v.string(), v.nonEmpty()), cause: v.optional(v.unknown()) });

const logLine = v.looseObject({
  level: v.string(),
  message: v.string(),
  service: v.string(),
  requestId: v.optional(v.string()),
  organization: v.optional(v.string()),
});

type LogLine = v.InferOutput<typeof logLine>;

const errorAnswer = v.object({
  error: v.object({ message: v.string(), details: v.optional(v.record(v.string(), v.string()), {}) }),
});

// Requests that are under way at once, and more: who is answered by the gateway alone leaves a line behind.
const rememberedLines = 1000;

/** One line a request, with the reason of a refusal; warnings and errors in words; no metrics. */
function readableLog(print: (text: string) => void): ServiceLog {
  const linesOf = new QuickLRU<string, LogLine>({ maxSize: rememberedLines });
  return {
    printed(text) {
      const line = parsed(text);
      if (line === undefined) return print(text);
      const result = v.safeParse(logLine, line);
      // Otherwise metrics.
      if (!result.success) return;
      const { level, requestId } = result.output;
      if (requestId !== undefined && 'status' in line) linesOf.set(requestId, result.output);
      else if (level !== 'INFO' && level !== 'DEBUG') print(`${inWords(result.output)}\n`);
    },
    answered({ requestId, method, path, status, body, milliseconds, error }) {
      const line = linesOf.get(requestId);
      linesOf.delete(requestId);
      const organization = line?.organization === undefined ? '' : ` ${line.organization}`;
      const reason =
        status < 400
          ? ''
          : (stackOf(line?.reason) ?? (error === undefined ? refusalIn(body) : messageOf(error)));
      const request = `${method} ${withoutSecrets(path)} ${status} ${Math.round(milliseconds)} ms${organization}`;
      print(`${printable(request)}${reason && `: ${printable(reason)}`}\n`);
    },
    told: (message) => print(`${message}\n`),
  };
}

/** The object in a line of JSON; undefined of any other text. */
function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

// The fields of every line of the logger.
const usual = ['level', 'message', 'service', 'timestamp', 'sampling_rate', 'xray_trace_id'];

/** `IndexTestimonials: Indexing failed (organization acme, error …)`. */
function inWords(line: LogLine): string {
  const fields = Object.entries(line)
    .filter(([name]) => !usual.includes(name))
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const more = fields.length > 0 ? ` (${fields.join(', ')})` : '';
  return printable(`${line.service}: ${line.message}${more}`);
}

/** Why a function failed: the stack of the error, and below it that of its cause. */
function stackOf(reason: unknown): string | undefined {
  const { success, output } = v.safeParse(describedError, reason);
  if (!success) return undefined;
  const below = stackOf(output.cause);
  return below === undefined ? output.stack : `${output.stack}\ncaused by ${below}`;
}

/** The refusal that a client is told, as in `The request has invalid parameters. limit must be …`; of a page, nothing. */
function refusalIn(body: Buffer): string {
  const told = parsed(body.toString());
  const result = v.safeParse(errorAnswer, told);
  if (!result.success) return told ? body.toString() : '';
  const { message, details } = result.output.error;
  const fields = Object.entries(details).map(([field, rule]) => `${field} ${rule}`);
  return `${message} ${fields.join('; ')}`.trim();
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Without what would do something to a terminal; further lines are set in. */
function printable(text: string): string {
  return text.replaceAll('\n', '\n  ').replace(/[\p{Cc}--\n]/gv, '\uFFFD');
}
