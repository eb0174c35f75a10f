/** Keeps what is measured instead of printing it. */
import { Metrics } from '@aws-lambda-powertools/metrics';

export class RecordingMetrics extends Metrics {
  /** The sum of each metric. */
  readonly added: Record<string, number> = {};
  readonly dimensions: Record<string, string>[] = [];
  readonly metadata: Record<string, string>[] = [];
  published = 0;

  constructor() {
    super({ namespace: 'Test' });
  }
  override addMetric(name: string, _unit: unknown, value: number): this {
    this.added[name] = (this.added[name] ?? 0) + value;
    return this;
  }
  override addDimension(name: string, value: string): this {
    this.dimensions.push({ [name]: value });
    return this;
  }
  override addMetadata(name: string, value: string): this {
    this.metadata.push({ [name]: value });
    return this;
  }
  override hasStoredMetrics(): boolean {
    return Object.keys(this.added).length > 0;
  }
  override singleMetric(): this {
    return this;
  }
  override publishStoredMetrics(): this {
    this.published += 1;
    return this;
  }
}
