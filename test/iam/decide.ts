/**
 * Evaluates a request against the statements of a policy as IAM does: a Deny overrides every Allow, and a
 * request that no statement allows is denied
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html). It supports
 * only the operators that the stack's policies use.
 */

/** A statement of a policy. */
export interface Statement {
  Sid?: string;
  Effect: 'Allow' | 'Deny';
  Action: string | string[];
  Resource: string | string[];
  /** Expected values by operator and key. */
  Condition?: Record<string, Record<string, string | string[]>>;
}

export interface Request {
  /** `dynamodb:GetItem` */
  action: string;
  /** An ARN. */
  resource: string;
  /** The values of each condition key. */
  context: Record<string, readonly string[]>;
}

export interface Decision {
  isAllowed: boolean;
  /** The deciding statement; absent if no statement matches. */
  by?: Statement;
}

/** @throws for an unsupported operator or part of a statement */
export function decide(statements: readonly Statement[], request: Request): Decision {
  const matching = statements.filter((statement) => matches(statement, request));
  const denying = matching.find(({ Effect }) => Effect === 'Deny');
  if (denying) return { isAllowed: false, by: denying };
  const allowing = matching.find(({ Effect }) => Effect === 'Allow');
  return allowing ? { isAllowed: true, by: allowing } : { isAllowed: false };
}

const supported = ['Sid', 'Effect', 'Action', 'Resource', 'Condition'];

function matches(statement: Statement, { action, resource, context }: Request): boolean {
  const unknown = Object.keys(statement).find((part) => !supported.includes(part));
  if (unknown) throw new Error(`${unknown} in a statement is not supported here`);
  const { Action, Resource, Condition = {} } = statement;
  return (
    [Action].flat().some((pattern) => isLike(action.toLowerCase(), pattern.toLowerCase())) &&
    [Resource].flat().some((pattern) => isLike(resource, pattern)) &&
    Object.entries(Condition).every(([operator, keys]) =>
      Object.entries(keys).every(([key, expected]) => holds(operator, context[key] ?? [], [expected].flat())),
    )
  );
}

/** True if a condition on a multi-valued key holds. */
function holds(operator: string, values: readonly string[], expected: readonly string[]): boolean {
  const isOneOf = (value: string) => expected.some((pattern) => isLike(value, pattern));
  switch (operator) {
    // Both hold without any value
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
      throw new Error(`The operator ${operator} is not supported here`);
  }
}

/** True if a text matches a pattern: `*` is any text, `?` one character. */
export function isLike(text: string, pattern: string): boolean {
  let form = forms.get(pattern);
  if (!form) {
    const escaped = pattern.replace(/[\\^$.|+()[\]{}]/g, '\\$&');
    form = new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'su');
    forms.set(pattern, form);
  }
  return form.test(text);
}

// Compiled patterns.
const forms = new Map<string, RegExp>();
