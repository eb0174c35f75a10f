/** What a request takes beside its calls. */

import { number, spread, table } from './markdown.ts';
import type { Results } from './results.ts';

export function overheadSection({ overhead, coldStarts, sizes }: Results): string {
  return `## What a function costs itself

CPU of a warm request, with storage answered in memory, in milliseconds, at ${number(Math.min(...sizes))} testimonials. The parts are
measured each on its own and need not add up to the whole.

${overhead
  .map(({ operation, parts }) =>
    table(
      [`Part of ${operation}`, 'CPU ms', 'of the whole'],
      parts.map(({ name, cpuMs }) => [
        name,
        spread(cpuMs, 3),
        `${Math.round((100 * cpuMs.median) / (parts[0]?.cpuMs.median ?? 1))} %`,
      ]),
    ),
  )
  .join('\n\n')}

Before its first request, above a bare Node.js process on this machine:

${table(
  ['Function', 'Bundle', 'Import, ms', 'Import and connections, ms'],
  coldStarts.map(({ name, bundleBytes, importMs, readyMs }) => [
    ...[name, `${Math.round(bundleBytes / 1000)} KB`, spread(importMs), spread(readyMs)],
  ]),
)}

The second figure opens the connections, over plain HTTP, to a database that answers at once: it is the first run of
the SDK, which otherwise the first request waits for. [ADR 5](adr/0005-lean-functions.md) says what each step towards
this gave. What AWS itself takes to start a function is not in it and cannot be measured here.
`;
}
