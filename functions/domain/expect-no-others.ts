/** Accepts the rest of an object after its shown fields. Does not compile if the rest has a field. */
export function expectNoOthers(_rest: Record<string, never>): void {}
