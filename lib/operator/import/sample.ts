/** A file to begin an import with. */
import { stringify } from 'csv-stringify/sync';
import type { FileFormat } from '../files/file-format.ts';
import type { LineField } from './imported-line.ts';

const sample: Partial<Record<LineField, string>>[] = [
  {
    content: 'Amazing product! It saved our team two days a week.',
    'author.name': 'Jane Doe',
    'author.email': 'jane@example.com',
    'author.company': 'Acme Inc.',
    rating: '5',
    type: 'text',
    tags: 'onboarding,support',
    status: 'approved',
    createdAt: '2025-01-15T10:30:00Z',
    updatedAt: '2025-01-16T08:00:00Z',
  },
  {
    content: 'Setting it up took an afternoon, and the support helped within minutes.',
    'author.name': 'José Amado',
    'author.email': 'jose@example.com',
    'author.company': '',
    rating: '',
    type: 'video',
    tags: '',
    status: 'pending',
    createdAt: '2025-02-01T09:00:00Z',
    updatedAt: '',
  },
];

/** The text of a sample file. */
export function sampleOf(format: FileFormat): string {
  if (format === 'csv') return stringify(sample, { header: true, record_delimiter: 'windows' });
  return sample
    .map(
      ({ 'author.name': name, 'author.email': email, 'author.company': company, rating, tags, ...rest }) => ({
        ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== '')),
        author: { name, email, ...(company && { company }) },
        ...(rating && { rating: Number(rating) }),
        tags: (tags ?? '').split(',').filter((tag) => tag !== ''),
      }),
    )
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
}
