/** Pass it what is left of an object without the fields that you show: it does not compile while there is another field. */
export function nothingElse(_rest: Record<string, never>): void {}
