/** The log of the local service: one line per request, or all lines of its functions. */
import QuickLRU from 'quick-lru';
import * as v from 'valibot';
import { withoutSecrets } from '../../functions/domain/token.ts';

export const logFormats = ['text', 'json'] as const;

export type LogFormat = (typeof logFormats)[number];

export interface LoggedRequest {
  requestId: string;
  method: string;
  /** Without the query, which may contain a search. */
  path: string;
  status: number;
  body: Buffer;
  milliseconds: number;
  /** The error of the gateway, if no function responded. */
  error?: unknown;
}

export function serviceLog(format: LogFormat, print: (text: string) => void) {
  return format === 'json' ? functionsLog(print) : readableLog(print);
}

/** Prints the output of the functions unchanged. */
function functionsLog(print: (text: string) => void): ReturnType<typeof readableLog> {
  const message = (text: string) => print(`${text}\n`);
  return {
    output: print,
    request: ({ error }) => {
      if (error !== undefined) message(messageOf(error));
    },
    message,
  };
}

// The logger's form of an error.
const describedError = v.object({ stack: v.pipe(v.string(), v.nonEmpty()), cause: v.optional(v.unknown()) });

const logLine = v.looseObject({
  level: v.string(),
  message: v.string(),
  service: v.string(),
  requestId: v.optional(v.string()),
  organization: v.optional(v.string()),
  isRobot: v.optional(v.boolean()),
});

type LogLine = v.InferOutput<typeof logLine>;

/** A JSON object in a text. */
const jsonObject = v.pipe(v.string(), v.parseJson(), v.looseObject({}));

const errorBody = v.object({
  error: v.object({ message: v.string(), details: v.optional(v.record(v.string(), v.string()), {}) }),
});

// More than the number of concurrent requests, because a request that times out at the gateway leaves its
// line here.
const rememberedLines = 1000;

/**
 * Prints one line per request, with the reason of an error, and the functions' warnings and errors as text.
 */
function readableLog(print: (text: string) => void) {
  const linesOf = new QuickLRU<string, LogLine>({ maxSize: rememberedLines });
  return {
    /** Prints the output of a function, one or more lines. */
    output(text: string) {
      const object = v.safeParse(jsonObject, text);
      if (!object.success) return print(text);
      const { success, output: line } = v.safeParse(logLine, object.output);
      // Other objects are metrics.
      if (!success) return;
      const { level, requestId } = line;
      if (requestId !== undefined && 'status' in line) linesOf.set(requestId, line);
      else if (level !== 'INFO' && level !== 'DEBUG') print(`${inWords(line)}\n`);
    },
    request({ requestId, method, path, status, body, milliseconds, error }: LoggedRequest) {
      const line = linesOf.get(requestId);
      linesOf.delete(requestId);
      const organization = line?.organization === undefined ? '' : ` ${line.organization}`;
      const failure = () => stackOf(line?.reason) ?? (error === undefined ? errorIn(body) : messageOf(error));
      // The visitor sees the usual thanks.
      const success = line?.isRobot ? 'sent as fast as a robot would, so nothing was stored' : '';
      const reason = status < 400 ? success : failure();
      const request = `${method} ${withoutSecrets(path)} ${status} ${Math.round(milliseconds)} ms${organization}`;
      print(`${printable(request)}${reason && `: ${printable(reason)}`}\n`);
    },
    /** Prints an event, or a failure outside any request. */
    message: (text: string) => print(`${text}\n`),
  };
}

// Fields in every line of the logger.
const commonFields = ['level', 'message', 'service', 'timestamp', 'sampling_rate', 'xray_trace_id'];

/** `IndexTestimonials: Indexing failed (organization acme, error …)`. */
function inWords(line: LogLine): string {
  const fields = Object.entries(line)
    .filter(([name]) => !commonFields.includes(name))
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const more = fields.length > 0 ? ` (${fields.join(', ')})` : '';
  return printable(`${line.service}: ${line.message}${more}`);
}

/** Returns the stack of an error and of its causes. */
function stackOf(reason: unknown): string | undefined {
  const { success, output } = v.safeParse(describedError, reason);
  if (!success) return undefined;
  const cause = stackOf(output.cause);
  return cause === undefined ? output.stack : `${output.stack}\ncaused by ${cause}`;
}

/**
 * Returns the error in a response, such as `The request has invalid parameters. limit must be …`; an empty
 * text for a page.
 */
function errorIn(body: Buffer): string {
  const text = body.toString();
  const result = v.safeParse(v.pipe(jsonObject, errorBody), text);
  if (!result.success) return v.is(jsonObject, text) ? text : '';
  const { message, details } = result.output.error;
  const fields = Object.entries(details).map(([field, rule]) => `${field} ${rule}`);
  return `${message} ${fields.join('; ')}`.trim();
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Replaces control characters, and indents further lines. */
function printable(text: string): string {
  return text.replaceAll('\n', '\n  ').replace(/[\p{Cc}--\n]/gv, '\uFFFD');
}
