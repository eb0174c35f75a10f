/** The stores of a service, and a wrapper around their calls. */

import type { Ordinal } from '../../functions/domain/testimonial-order.ts';
import type { IndexStore } from '../../functions/testimonials/list-index/index-store.ts';
import type { LoadStore } from '../../functions/testimonials/load/load-record.ts';
import type { EventItemStore } from '../../functions/testimonials/model/event-item-store.ts';
import type { IdempotencyKeyStore } from '../../functions/testimonials/model/idempotency-key-store.ts';
import type { TestimonialStore } from '../../functions/testimonials/model/testimonial-store.ts';
import type { MemoryBucket } from './memory-bucket.ts';

export interface Backend {
  testimonials: TestimonialStore;
  idempotencyKeys: IdempotencyKeyStore;
  index: IndexStore;
  /** Present only for imports. */
  loads?: LoadStore;
  /** These are present only for media. */
  bucket?: MemoryBucket;
  eventItems?: EventItemStore;
  stream?: TestimonialStream;
}

/** A testimonial that was stored or erased, in the table's stream. */
export interface StreamedWrite {
  ordinal: Ordinal;
  kind: 'stored' | 'erased';
  /** True if no earlier write of the position was delivered. */
  isNew: boolean;
}

/** The table's stream, which delivers each write until a function has worked for it. */
export interface TestimonialStream {
  pending(organization: string): Promise<StreamedWrite[]>;
  deliver(organization: string, writes: readonly StreamedWrite[]): Promise<void>;
}

/**
 * Returns the same stores with `around` around every call; each page of a generator is a call.
 * @param around makes the call, or not
 */
export function interceptCalls(
  { testimonials, idempotencyKeys, index, loads, bucket, eventItems, stream }: Backend,
  around: <T>(name: string, call: () => Promise<T>, args: unknown[]) => Promise<T>,
): Backend {
  return {
    testimonials: wrap(testimonials),
    idempotencyKeys: wrap(idempotencyKeys),
    index: wrap(index),
    ...(loads && { loads: wrap(loads) }),
    ...(bucket && { bucket: wrap(bucket, 'bucket.') }),
    ...(eventItems && { eventItems: wrap(eventItems) }),
    ...(stream && { stream: wrap(stream, 'stream.') }),
  };

  /** @param start of the names of its calls, which other stores have too */
  function wrap<Store extends object>(store: Store, start = ''): Store {
    return new Proxy(store, {
      get(target, name, receiver) {
        const method: unknown = Reflect.get(target, name, receiver);
        if (typeof method !== 'function') return method;
        if (method.constructor.name !== 'AsyncGeneratorFunction') {
          return (...args: unknown[]) => around(start + String(name), () => method.apply(target, args), args);
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
