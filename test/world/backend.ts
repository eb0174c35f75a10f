/** The stores of a service, and a wrapper around their calls. */

import type { IndexStore } from '../../functions/testimonials/list-index/index-store.ts';
import type { LoadStore } from '../../functions/testimonials/load/load-record.ts';
import type { IdempotencyKeyStore } from '../../functions/testimonials/model/idempotency-key-store.ts';
import type { TestimonialStore } from '../../functions/testimonials/model/testimonial-store.ts';

export interface Backend {
  testimonials: TestimonialStore;
  idempotencyKeys: IdempotencyKeyStore;
  index: IndexStore;
  /** Present only for imports. */
  loads?: LoadStore;
}

/**
 * Returns the same stores with `around` around every call; each page of a generator is a call.
 * @param around makes the call, or not
 */
export function around(
  { testimonials, idempotencyKeys, index, loads }: Backend,
  around: <T>(name: string, call: () => Promise<T>, args: unknown[]) => Promise<T>,
): Backend {
  return {
    testimonials: wrap(testimonials),
    idempotencyKeys: wrap(idempotencyKeys),
    index: wrap(index),
    ...(loads && { loads: wrap(loads) }),
  };

  function wrap<Store extends object>(store: Store): Store {
    return new Proxy(store, {
      get(target, name, receiver) {
        const method: unknown = Reflect.get(target, name, receiver);
        if (typeof method !== 'function') return method;
        if (method.constructor.name !== 'AsyncGeneratorFunction') {
          return (...args: unknown[]) => around(String(name), () => method.apply(target, args), args);
        }
        return async function* (...args: unknown[]) {
          const pages: AsyncGenerator<unknown> = method.apply(target, args);
          try {
            for (;;) {
              const { done, value } = await around(String(name), () => pages.next(), args);
              if (done) return;
              yield value;
            }
          } finally {
            await pages.return(undefined);
          }
        };
      },
    });
  }
}
