/** Reads erasures from a file: the log of the index function, or JSON with organizations and ids. */
import * as v from 'valibot';
import { organizationName } from '../../../functions/domain/organization-name.ts';
import { ordinalOfId } from '../../../functions/domain/testimonial-id.ts';
import { organizationOfPartition } from '../../../functions/dynamodb/keys.ts';
import { erasedMessage } from '../../../functions/index-testimonials/handler.ts';

/** Ids of testimonials, by organization. */
export type Erasures = Map<string, Set<string>>;

const events = v.object({ events: v.array(v.object({ message: v.string() })) });

const otherLine = v.union([
  v.object({ message: v.pipe(v.string(), v.notValue(erasedMessage)) }),
  // Lambda's own lines
  // (https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-logformat.html).
  v.object({ type: v.pipe(v.string(), v.startsWith('platform.')) }),
]);

const text = v.string('must be a string');
// A scan of the table has the organization in a partition key.
const organizationText = v.pipe(
  text,
  v.transform((name) => organizationOfPartition(name) ?? name),
  organizationName,
);
const idText = v.pipe(
  text,
  v.check(
    (id) => ordinalOfId(id) !== undefined,
    'must be the id of a testimonial, such as test_1234567890121',
  ),
);
const erasure = v.object(
  { organization: v.optional(organizationText, ''), id: v.optional(idText, '') },
  'must be a JSON object with organization and id',
);

/**
 * Reads the JSON that `aws logs filter-log-events` or `aws dynamodb scan` prints. Also reads lines: of `aws
 * logs tail`, of a CloudWatch export, or of the form `{"organization":…,"id":…}`. Also accepts the log of
 * events. Skips other lines of the log.
 * @param file the file name, for errors
 * @throws an error that names the first entry that could be an erasure but cannot be read, and the rule that
 * it breaks
 */
export function readErasures(content: string, file: string): Erasures {
  const erasures: Erasures = new Map();
  for (const { where, value: entry } of entriesOf(content)) {
    // In an event that EventBridge delivered, the detail is the erasure.
    const value = v.is(v.object({ detail: v.unknown() }), entry) ? entry.detail : entry;
    if (v.is(otherLine, value)) continue;
    const result = v.safeParse(erasure, value);
    if (!result.success) {
      const [issue] = result.issues;
      const rule = [v.getDotPath(issue), issue.message].filter(Boolean).join(' ');
      throw new Error(`${where} of ${file}: ${rule}.`);
    }
    const { organization, id } = result.output;
    erasures.set(organization, (erasures.get(organization) ?? new Set()).add(id));
  }
  return erasures;
}

const json = v.pipe(v.string(), v.parseJson());

/** Returns the value of JSON, or other text unchanged. */
function parsed(content: string): unknown {
  return v.safeParse(json, content).output;
}

function entriesOf(content: string): { where: string; value: unknown }[] {
  const whole = parsed(content);
  if (v.is(events, whole))
    return whole.events.map(({ message }, i) => ({ where: `Event ${i + 1}`, value: parsed(message) }));
  if (Array.isArray(whole)) return whole.map((value, i) => ({ where: `Entry ${i + 1}`, value }));
  return content.split('\n').flatMap((line, i) => {
    // A time or the name of a log stream can precede the JSON.
    return line.trim() === '' ? [] : { where: `Line ${i + 1}`, value: parsed(line.slice(line.indexOf('{'))) };
  });
}
