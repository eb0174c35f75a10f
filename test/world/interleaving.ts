/** Stores in memory, whose calls interleave as those of a service do. */

/** A store whose methods may return at once, except generators. */
type AtOnce<Store> = {
  [Name in keyof Store]: Store[Name] extends (...args: infer Args) => Promise<infer Result>
    ? (...args: Args) => Result | Promise<Result>
    : Store[Name];
};

/** Returns the same store with an await before every call, so that concurrent callers interleave. */
export function interleaving<Store extends object>(store: AtOnce<Store>): Store {
  const methods = Object.entries(store as Record<string, (...args: unknown[]) => unknown>); // it has nothing else
  const called = methods.map(([name, method]) => {
    if (method.constructor.name === 'AsyncGeneratorFunction') return [name, method];
    const call = async (...args: unknown[]) => {
      await Promise.resolve();
      return method(...args);
    };
    return [name, call];
  });
  return Object.fromEntries(called);
}
