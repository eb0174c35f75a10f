/** A client's clock that moves only when a test moves it. */
import type { ApiClient } from '../../api-client.ts';

/** Stops the clock of the handlers at `time`, in milliseconds since the epoch; may be called again. */
export function stopClock({ clock }: ApiClient, time: number): void {
  // The client adds the offset to the real time: an offset that falls as time passes holds the sum still.
  Object.defineProperty(clock, 'offset', { configurable: true, get: () => time - Date.now() });
}
