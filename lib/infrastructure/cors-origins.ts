/** Which web pages may call the API from a browser. */
import type { Node } from 'constructs';

/**
 * Reads the context value `corsOrigins`: origins separated by commas, `https://a.example,https://b.example`.
 * Empty when it is not given: CORS is off.
 */
export function corsOriginsOf(node: Node): string[] {
  const value: unknown = node.tryGetContext('corsOrigins') ?? '';
  const origins = String(value)
    .split(',')
    .map((origin) => origin.trim())
    .filter((origin) => origin !== '');
  for (const origin of origins) {
    if (origin !== '*' && (!URL.canParse(origin) || new URL(origin).origin !== origin)) {
      throw new Error(
        `The context value "corsOrigins" has "${origin}": an origin is written like https://www.example.com`,
      );
    }
  }
  return origins;
}
