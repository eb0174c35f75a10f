/** The Link header of a list (RFC 8288). */
import type { tokenParameter } from '../http/operation.ts';
import type { ListParameters } from './parameters.ts';

// The gateway allows 10,240 bytes for all headers of an answer; a search in escaped non-Latin letters is long.
const maxBytes = 8000;

/**
 * Links to the first, prev, next and last page with the same parameters, as references relative to the host,
 * which stay true behind a custom domain or a proxy.
 * @returns undefined when the links would be longer than a header may be
 */
export function pageLinks(
  path: string,
  given: ListParameters & { [tokenParameter]?: string },
  { page, totalPages }: { page: number; totalPages: number },
): string | undefined {
  const last = Math.max(1, totalPages);
  const targets = {
    first: 1,
    prev: page > 1 ? Math.min(page - 1, last) : undefined,
    next: page < totalPages ? page + 1 : undefined,
    last,
  };
  const links = Object.entries(targets).flatMap(([relation, target]) => {
    if (target === undefined) return [];
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...given, page: target })) {
      if (String(value) !== '') parameters.set(name, String(value));
    }
    return `<${path}?${parameters}>; rel="${relation}"`;
  });
  const header = links.join(', ');
  return header.length <= maxBytes ? header : undefined;
}
