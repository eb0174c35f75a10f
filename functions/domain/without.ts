/** Returns a copy of an object without some of its members. */
export function without<Whole extends object, Name extends keyof Whole>(
  whole: Whole,
  ...names: Name[]
): Omit<Whole, Name> {
  const rest = { ...whole };
  for (const name of names) delete rest[name];
  return rest;
}
