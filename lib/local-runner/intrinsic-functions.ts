/** CloudFormation's intrinsic functions, as far as the stack uses them. */

/** The text that a value is, or that a Ref to one of `references` stands for. */
export function resolveText(value: unknown, references: Map<string, string>, where: string): string {
  if (typeof value === 'string') return value;
  const reference = isObject(value) && typeof value.Ref === 'string' ? references.get(value.Ref) : undefined;
  if (reference === undefined) throw unsupported(where, JSON.stringify(value));
  return reference;
}

/** The logical id that a value refers to: of a Ref, a Fn::GetAtt, the last one in a Fn::Join, or what is selected of one. */
export function lastReference(value: unknown, where: string): string {
  if (isObject(value)) {
    if (typeof value.Ref === 'string') return value.Ref;
    const attribute = value['Fn::GetAtt'];
    if (Array.isArray(attribute)) return String(attribute[0]);
    const join = value['Fn::Join'];
    if (Array.isArray(join) && Array.isArray(join[1]))
      return lastReference(join[1].findLast(isObject), where);
    const part = value['Fn::Select'] ?? value['Fn::Split'];
    if (Array.isArray(part)) return lastReference(part[1], where);
  }
  throw unsupported(where, JSON.stringify(value));
}

/** The error for a part of the template that only AWS can serve. */
export function unsupported(where: string, what: string): Error {
  return new Error(`${where} uses what the local runner does not serve: ${what}`);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
