/** Expressions of CloudWatch's metric math in the template. */

export interface MathPart {
  Id: string;
  Expression?: string;
  MetricStat: {
    Period: number;
    Metric: { MetricName: string; Dimensions: { Name: string; Value: unknown }[] };
  };
}

/** An alarm on an expression: the expression, and the metrics in it. */
export interface MathAlarm {
  Metrics: [{ Expression: string }, ...MathPart[]];
  Threshold: number;
  EvaluationPeriods: number;
  DatapointsToAlarm: number;
}

/** True if these measured values reach the threshold of an alarm. */
export function isRaised(
  { Metrics: [{ Expression }, ...parts], Threshold }: MathAlarm,
  measured: Record<string, number | undefined>,
): boolean {
  return evaluate(Expression, parts, measured) >= Threshold;
}

/** Evaluates an expression of metric math, which is valid JavaScript here. */
function evaluate(
  expression: string,
  parts: readonly Pick<MathPart, 'Id'>[],
  measured: Record<string, number | undefined>,
): number {
  const functions = {
    IF: (condition: boolean, then: number, otherwise: number) => (condition ? then : otherwise),
    FILL: (value: number | undefined, filler: number) => value ?? filler,
    MIN: (values: number[]) => Math.min(...values),
    // The metric's value is the time here.
    EPOCH: (time: number) => time,
    SUM: (values: number[]) => values.reduce((sum, value) => sum + value, 0),
  };
  const names = parts.map(({ Id }) => Id);
  const run = new Function(...Object.keys(functions), ...names, `return ${expression}`);
  return run(...Object.values(functions), ...names.map((name) => measured[name]));
}
