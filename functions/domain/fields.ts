/** The use of each field of a testimonial: who may see it, and in which form. */
import { type FieldPath, type FieldUse, fields, type Testimonial } from './testimonial.ts';

/** Every path, in the order in which files and pages show the fields, and imports look for their columns. */
export const fieldPaths = Object.keys(fields) as FieldPath[]; // of a constant

export function useOf(path: FieldPath): FieldUse {
  return fields[path];
}

type PublishedPath = {
  [Path in FieldPath]: (typeof fields)[Path]['published'] extends 'never' ? never : Path;
}[FieldPath];

type TextPath = {
  [Path in FieldPath]: (typeof fields)[Path]['published'] extends 'masked' ? Path : never;
}[FieldPath];

type TopOf<Path extends string> = Path extends `${infer Top}.${string}` ? Top : Path;
type RestOf<Path extends string, Top extends string> = Path extends `${Top}.${infer Rest}` ? Rest : never;

/** The members of an object at some paths. */
type Selected<Value, Path extends string> = {
  [Name in keyof Value as Name extends TopOf<Path> ? Name : never]: Name extends Path
    ? Value[Name]
    : Selected<Value[Name], RestOf<Path, Name & string>>;
};

/**
 * The texts that people wrote. All terms of a testimonial come from these texts, except its common facets.
 */
export type Texts = Selected<Testimonial, TextPath>;

/** The fields of a testimonial that everyone may see, before its texts are masked. */
export type Published = Selected<Testimonial, PublishedPath>;

/** Returns the texts of a testimonial: the fields that published lists mask. */
export function textsOf(testimonial: Testimonial): Texts {
  return selected(testimonial, (path) => fields[path].published === 'masked') as Texts; // the same paths
}

/** An object whose members are fields, or objects with further ones. */
export type FieldGroup = Record<string, unknown>;

/** True for an object whose members have paths of their own. */
export function isFieldGroup(value: unknown): value is FieldGroup {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns a copy of an object with the fields for which `isSelected` returns true. Drops empty objects and
 * members that are not fields.
 */
export function selected(
  value: object,
  isSelected: (path: FieldPath, value: unknown) => boolean,
  outer = '',
): FieldGroup {
  const chosen = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    const path = `${outer}${name}`;
    if (isPath(path)) return member !== undefined && isSelected(path, member) ? [[name, member]] : [];
    const inner = isFieldGroup(member) ? selected(member, isSelected, `${path}.`) : {};
    return Object.keys(inner).length > 0 ? [[name, inner]] : [];
  });
  return Object.fromEntries(chosen);
}

export function isPath(path: string): path is FieldPath {
  return Object.hasOwn(fields, path);
}
