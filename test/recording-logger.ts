/** Keeps what is logged instead of writing it. */
import { Logger } from '@aws-lambda-powertools/logger';

export class RecordingLogger extends Logger {
  readonly lines: { level: string; message: unknown; details: unknown }[] = [];

  constructor() {
    super({ logLevel: 'SILENT' });
  }
  override info(message: unknown, ...details: unknown[]): void {
    this.lines.push({ level: 'info', message, details: details[0] });
  }
  override error(message: unknown, ...details: unknown[]): void {
    this.lines.push({ level: 'error', message, details: details[0] });
  }
}
