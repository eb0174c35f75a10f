/**
 * Decides on a request as IAM does, by the statements of one policy, as far as the stack's policies go: an explicit Deny beats
 * any Allow, and what nothing allows is refused
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html). What it does not know, it refuses
 * to judge.
 */

/** As it stands in a policy, with all its parts as texts. */
export interface Statement {
  Sid?: string;
  Effect: 'Allow' | 'Deny';
  Action: string | string[];
  Resource: string | string[];
  /** Operator, then key, then what it is compared with. */
  Condition?: Record<string, Record<string, string | string[]>>;
}

export interface Request {
  /** `dynamodb:GetItem` */
  action: string;
  /** An ARN. */
  resource: string;
  /** The values of each condition key, none where the request does not say it. */
  context: Record<string, readonly string[]>;
}

export interface Decision {
  isAllowed: boolean;
  /** The statement that decided; none where nothing allows the request. */
  by?: Statement;
}

/** @throws where a condition has an operator that it does not know */
export function decide(statements: readonly Statement[], request: Request): Decision {
  const matching = statements.filter((statement) => matches(statement, request));
  const denying = matching.find(({ Effect }) => Effect === 'Deny');
  if (denying) return { isAllowed: false, by: denying };
  const allowing = matching.find(({ Effect }) => Effect === 'Allow');
  return allowing ? { isAllowed: true, by: allowing } : { isAllowed: false };
}

const known = ['Sid', 'Effect', 'Action', 'Resource', 'Condition'];

function matches(statement: Statement, { action, resource, context }: Request): boolean {
  const unknown = Object.keys(statement).find((part) => !known.includes(part));
  if (unknown) throw new Error(`A statement has ${unknown}, which is not judged here`);
  const { Action, Resource, Condition = {} } = statement;
  return (
    [Action].flat().some((pattern) => isLike(action.toLowerCase(), pattern.toLowerCase())) &&
    [Resource].flat().some((pattern) => isLike(resource, pattern)) &&
    Object.entries(Condition).every(([operator, keys]) =>
      Object.entries(keys).every(([key, expected]) => holds(operator, context[key] ?? [], [expected].flat())),
    )
  );
}

/** Whether a condition on a key of many values holds. */
function holds(operator: string, values: readonly string[], expected: readonly string[]): boolean {
  const isOneOf = (value: string) => expected.some((pattern) => isLike(value, pattern));
  switch (operator) {
    // Both hold where there is no value
    // (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition_examples-multi-valued-context-keys.html).
    case 'ForAllValues:StringLike':
      return values.every(isOneOf);
    case 'ForAllValues:StringNotLike':
      return !values.some(isOneOf);
    case 'ForAnyValue:StringLike':
      return values.some(isOneOf);
    case 'Null':
      return expected.includes(String(values.length === 0));
    default:
      throw new Error(`A condition has ${operator}, which is not judged here`);
  }
}

/** Whether a text is like a pattern: `*` is any text, `?` one character. */
export function isLike(text: string, pattern: string): boolean {
  let form = forms.get(pattern);
  if (!form) {
    const escaped = pattern.replace(/[\\^$.|+()[\]{}]/g, '\\$&');
    form = new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'su');
    forms.set(pattern, form);
  }
  return form.test(text);
}

// All calls of a suite have few.
const forms = new Map<string, RegExp>();
