/** Taking the places of an import's lines, before any of them is stored. */
import { beginLoad, type LoadDependencies, markLoad, noteEnd } from '../load/load-testimonials.ts';
import type { ImportJobStore } from './import-job.ts';
import { otherLoad, type Plan } from './import-plan.ts';
import type { ImportRun } from './import-run.ts';
import { type Placement, takenBy } from './placement.ts';
import { byLine, type LineOrders, type Places, placesOfFirst, placesOfPast } from './places.ts';

/** The places that lines get if they take them beside those of some imports. */
export function placesAmong(
  placements: readonly Placement[],
  orders: LineOrders,
  { isEmpty, latest }: { isEmpty: boolean; latest?: string | undefined },
): Places {
  const taken = takenBy(placements);
  if (isEmpty) return placesOfFirst(orders, taken);
  return placesOfPast(orders, taken, latest === undefined ? undefined : Date.parse(latest));
}

type PlaceDependencies = LoadDependencies & { jobs: ImportJobStore };

/**
 * Takes the places of lines; an import that did so before has the same again. From then on nothing is created with an earlier
 * time than theirs, and nobody else fills the room.
 * @returns false where somebody created a testimonial meanwhile that some of the lines are later than
 * @throws where lines find no place, and when another load has marked the organization; nothing is stored then
 */
export async function takePlaces(
  deps: PlaceDependencies,
  run: ImportRun,
  { orders, standing, rules, time }: Plan,
): Promise<boolean> {
  const { testimonials, jobs } = deps;
  const { organization, name } = run;
  const isEmpty = standing.isEmpty && (await beginFirst(deps, run, { orders, time }));
  let { latest } = rules;
  if (!isEmpty) {
    // Where nothing is any more, there is nothing that lines could be later than.
    if (standing.emptied) await testimonials.reopenHistory(organization, standing.emptied);
    const { firstTime } = await testimonials.raiseTime(organization, time);
    const last = orders.times.updatedAt.at(-1) ?? 0;
    if (firstTime !== undefined && last > Date.parse(firstTime)) return false;
    latest = firstTime ?? latest;
    await markAtWork(deps, run);
  }
  for (;;) {
    const placements = await jobs.placements(organization);
    if (placements.some((each) => each.name === name)) return true;
    const { places } = placesAmong(placements, orders, { isEmpty, latest });
    const number = (placements.at(-1)?.number ?? 0) + 1;
    const placement = { number, name, places, times: orders.times, linesByUpdate: linesByUpdateOf(orders) };
    if (await jobs.addPlacement(organization, placement)) return true;
  }
}

function linesByUpdateOf({ lines, order }: LineOrders): number[] {
  const inCreation = byLine(order.createdAt, [...lines.keys()]);
  return order.updatedAt.map((line) => inCreation[line] ?? 0);
}

/**
 * Marks the organization whose lines are stored.
 * @throws when another load has marked it
 */
export async function markAtWork(deps: PlaceDependencies, { organization, name }: ImportRun): Promise<void> {
  if (!(await markLoad(deps, organization, name))) throw otherLoad(organization);
  const job = await deps.jobs.find(organization, name);
  // Another run has done all of it while this one slept, and nobody else would take the mark away.
  if (job?.state === 'ended' || job?.state === 'undone') await noteEnd(deps, organization, name);
}

/** Begins a load into an organization that looked empty; false when it is not. */
async function beginFirst(
  deps: PlaceDependencies,
  { organization, name: load }: ImportRun,
  { orders, time }: Pick<Plan, 'orders' | 'time'>,
): Promise<boolean> {
  const placements = await deps.jobs.placements(organization);
  const { last, firstTime } = placesAmong(placements, orders, { isEmpty: true });
  const first = {
    ...{ load, last, time },
    ...(firstTime !== undefined && { firstTime: new Date(firstTime).toISOString() }),
  };
  if (await beginLoad(deps, organization, first)) return true;
  if ((await deps.index.readHead(organization))?.load !== undefined) throw otherLoad(organization);
  return false;
}

/** The places that an import has taken. */
export async function placementOf(
  { jobs }: { jobs: Pick<ImportJobStore, 'placements'> },
  { organization, name }: Pick<ImportRun, 'organization' | 'name'>,
): Promise<Placement> {
  const found = (await jobs.placements(organization)).find((each) => each.name === name);
  if (!found) throw new Error(`The places of import ${name} of ${organization} are not in the table.`);
  return found;
}
