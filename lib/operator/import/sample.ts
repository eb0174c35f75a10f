/** A file to begin an import with. */
import type { ExportFormat } from '../files/whole-file.ts';

const samples: Record<ExportFormat, readonly string[]> = {
  csv: [
    'content,author.name,author.email,author.company,rating,type,tags,status,createdAt,updatedAt',
    'Amazing product! It saved our team two days a week.,Jane Doe,jane@example.com,Acme Inc.,5,text,"onboarding,support",approved,2025-01-15T10:30:00Z,2025-01-16T08:00:00Z',
    '"Setting it up took an afternoon, and the support helped within minutes.",José Amado,jose@example.com,,,video,,pending,2025-02-01T09:00:00Z,',
  ],
  ndjson: [
    '{"content":"Amazing product! It saved our team two days a week.","author":{"name":"Jane Doe","email":"jane@example.com","company":"Acme Inc."},"rating":5,"type":"text","tags":["onboarding","support"],"status":"approved","createdAt":"2025-01-15T10:30:00Z","updatedAt":"2025-01-16T08:00:00Z"}',
    '{"content":"Setting it up took an afternoon, and the support helped within minutes.","author":{"name":"José Amado","email":"jose@example.com"},"type":"video","tags":[],"status":"pending","createdAt":"2025-02-01T09:00:00Z"}',
  ],
};

/** The text of a sample file. */
export function sampleOf(format: ExportFormat): string {
  return samples[format].map((line) => `${line}${format === 'csv' ? '\r\n' : '\n'}`).join('');
}
