/**
 * Erasures in a file: the index function's log as CloudWatch Logs gives it, or JSON with an organization and an id. Nothing
 * that could be an erasure is passed over in silence: who is left out comes back.
 */
import * as v from 'valibot';
import { ordinalOfId } from '../../../functions/domain/testimonial-id.ts';
import { organizationName } from '../../../functions/domain/token.ts';
import { erasedMessage } from '../../../functions/index-testimonials/handler.ts';
import { organizationOfPartition } from '../../../functions/persistence/keys.ts';

/** Ids of testimonials, by organization. */
export type Erasures = Map<string, Set<string>>;

const events = v.object({ events: v.array(v.object({ message: v.string() })) });

const otherLine = v.union([
  v.object({ message: v.pipe(v.string(), v.notValue(erasedMessage)) }),
  // What Lambda itself logs of an invocation (https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-logformat.html).
  v.object({ type: v.pipe(v.string(), v.startsWith('platform.')) }),
]);

const aText = v.string('must be a text');

const erasure = v.object(
  {
    organization: v.optional(
      // A scan of the table finds it as its partition is named.
      v.pipe(
        aText,
        v.transform((name) => organizationOfPartition(name) ?? name),
        organizationName,
      ),
      '',
    ),
    id: v.optional(
      v.pipe(
        aText,
        v.check(
          (id) => ordinalOfId(id) !== undefined,
          'must be the id of a testimonial, as test_1234567890121',
        ),
      ),
      '',
    ),
  },
  'must be a JSON object with organization and id',
);

/**
 * Reads what `aws logs filter-log-events` or `aws dynamodb scan` prints as JSON, or line by line what `aws logs tail` prints,
 * CloudWatch exports, or `{"organization":…,"id":…}`. Other lines of the log are passed over.
 * @param file its name, for errors
 * @throws an error that names the first line, event or entry that is neither, and the rule
 */
export function readErasures(text: string, file: string): Erasures {
  const found: Erasures = new Map();
  for (const { where, value } of entriesOf(text)) {
    if (v.is(otherLine, value)) continue;
    const result = v.safeParse(erasure, value);
    if (!result.success) {
      const [issue] = result.issues;
      const rule = [v.getDotPath(issue), issue.message].filter(Boolean).join(' ');
      throw new Error(`${where} of ${file}: ${rule}.`);
    }
    const { organization, id } = result.output;
    found.set(organization, (found.get(organization) ?? new Set()).add(id));
  }
  return found;
}

const json = v.pipe(v.string(), v.parseJson());

/** What JSON says; other text as it is. */
function parsed(text: string): unknown {
  return v.safeParse(json, text).output;
}

function* entriesOf(text: string): Generator<{ where: string; value: unknown }, void, undefined> {
  const whole = parsed(text);
  if (v.is(events, whole)) {
    for (const [i, { message }] of whole.events.entries())
      yield { where: `Event ${i + 1}`, value: parsed(message) };
  } else if (Array.isArray(whole)) {
    for (const [i, value] of whole.entries()) yield { where: `Entry ${i + 1}`, value };
  } else {
    for (const [i, line] of text.split('\n').entries()) {
      // A time, or the name of a log stream, may stand before it.
      if (line.trim() !== '') yield { where: `Line ${i + 1}`, value: parsed(line.slice(line.indexOf('{'))) };
    }
  }
}
