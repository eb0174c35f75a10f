/** Lists where much has changed, where texts are long, and the dearest that were found. */
import type { Cost } from '../../../functions/persistence/cost-meter.ts';
import { dollars, number, table } from './markdown.ts';
import { price } from './model.ts';
import type { Results } from './results.ts';

export function situationSection({ situations, longWrites, dearest }: Results): string {
  return `## After other lists, beside changes, and among long texts

A *cold* function knows nothing of the organization; one with its *head known*, as the tables above have it, has answered another
list; a *warm* one has answered this list before the changes that stand beside it, or the list that is named; *again* is the next
time. Each is told as read units, calls and rounds. A change stands beside the index until an update of it has taken the change up;
a command that changes many waits at 4,000.

${table(
  ['Testimonials', 'What', 'List', 'Cold', 'Head known', 'Warm', 'Again'],
  situations.map(({ size, what, list, cold, headKnown, warm, again }) => [
    ...[number(size), what, list],
    ...[cold, headKnown, warm, again].map((each) => (each ? costText(each) : '')),
  ]),
)}

A text of 10,000 letters stays out of the secondary indexes:

${table(
  ['Such a testimonial', 'Write units, table', 'six indexes', 'Dollars a million'],
  longWrites.map(({ what, table: own, indexes }) => [
    ...[what, number(own), number(indexes)],
    dollars((own + indexes) * price.writeUnit),
  ]),
)}

The dearest lists that a search found, which varies the worst of random lists; by a function that knows nothing:

${table(
  ['Testimonials', 'List', 'Matches', 'Read units', 'Calls', 'Rounds'],
  dearest.map(({ size, query, matches, cost }) => [
    ...[number(size), `\`${query}\``, number(matches)],
    ...[number(cost.units), cost.requests, cost.rounds],
  ]),
)}`;
}

function costText({ units, requests, rounds }: Cost): string {
  return `${number(units)} · ${requests} · ${rounds}`;
}
