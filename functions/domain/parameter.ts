/** The parameters of a list, which come as text. */
import * as v from 'valibot';

export interface Parameter<Value> {
  description: string;
  /** The schema of the parameter's value as text. */
  schema: v.GenericSchema<string, Value>;
  /** The value where none is given. */
  default?: Value & (string | number);
  /** Several values are the same as one with commas; otherwise a second one is refused. */
  repeatable?: true;
  example?: string;
}

/** Schema of a whole number in decimal digits. */
export function wholeNumber(min: number, max: number) {
  const rule = `must be a whole number from ${min} to ${max}`;
  return v.pipe(
    v.string(),
    v.regex(/^\d+$/, rule),
    v.transform(Number),
    v.minValue(min, rule),
    v.maxValue(max, rule),
    v.metadata({ type: 'integer', minimum: min, maximum: max }),
  );
}

/** Schema of one of some words. */
export function oneOf<const Options extends readonly string[]>(options: Options) {
  return v.pipe(v.string(), v.picklist(options, `must be one of ${options.join(', ')}`));
}
