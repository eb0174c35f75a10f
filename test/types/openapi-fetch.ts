/** The part of the package openapi-fetch that `examples/client.ts` uses, which only `.ci/client` installs. */
import type { components } from './testimonials-api.ts';

type ErrorBody = components['schemas']['ErrorBody'] | components['schemas']['GatewayError'];

interface Operation {
  parameters: object;
  body?: unknown;
  data: unknown;
}

type Call<Paths, Method extends string> = <Path extends keyof Paths>(
  path: Path,
  options: Paths[Path] extends Record<Method, infer Of extends Operation>
    ? { params?: Of['parameters']; body?: Of['body'] }
    : never,
) => Promise<{
  data?: Paths[Path] extends Record<Method, infer Of extends Operation> ? Of['data'] : never;
  error?: ErrorBody;
  response: Response;
}>;

declare function createClient<Paths>(options: { baseUrl: string; headers: Record<string, string> }): {
  GET: Call<Paths, 'get'>;
  POST: Call<Paths, 'post'>;
};

export default createClient;
