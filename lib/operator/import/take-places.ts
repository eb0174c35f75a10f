/** Taking the places of an import's lines, before any of them is stored. */
import { beginLoad, type LoadDependencies, markLoad, unmarkLoad } from '../load/load-testimonials.ts';
import type { ImportJobStore, PlacedJob } from './import-job.ts';
import { otherLoad, type Plan } from './import-plan.ts';
import type { ImportRun } from './import-run.ts';
import { type Placement, takenBy } from './placement.ts';
import { type Places, placesOfFirst, placesOfPast } from './places.ts';

/** What decides about places. */
type PlacePlan = Pick<Plan, 'orders' | 'standing' | 'rules' | 'time'>;

/** The places that the lines get if they take them beside those of some imports. */
export function placesAmong(
  placements: readonly Placement[],
  { orders, standing, rules: { latest } }: Omit<PlacePlan, 'time'>,
): Places {
  const taken = takenBy(placements);
  if (standing.isEmpty) return placesOfFirst(orders, taken);
  return placesOfPast(orders, taken, latest === undefined ? undefined : Date.parse(latest));
}

type PlaceDependencies = LoadDependencies & { jobs: ImportJobStore };

/**
 * Takes the places of lines; an import that did so before gets the same again. From then on nothing is created with an earlier
 * time than theirs, and nobody else fills the room. `created meanwhile`: somebody created a testimonial that some of the lines are later than.
 * @throws {NoPlaces} and when another load has marked the organization; nothing is stored then
 */
export async function takePlaces(
  deps: PlaceDependencies,
  run: ImportRun,
  { orders, standing, rules, time }: PlacePlan,
): Promise<Placement | 'created meanwhile'> {
  const { testimonials, jobs } = deps;
  const { organization, name } = run;
  const isEmpty = standing.isEmpty && (await beginFirst(deps, run, { orders, standing, rules, time }));
  let { latest } = rules;
  if (!isEmpty) {
    // Where nothing is any more, there is nothing that lines could be later than.
    if (standing.emptied) await testimonials.beginAgain(organization, standing.emptied);
    const { firstTime } = await testimonials.raiseTime(organization, time);
    const last = orders.times.updatedAt.at(-1) ?? 0;
    if (firstTime !== undefined && last > Date.parse(firstTime)) return 'created meanwhile';
    latest = firstTime ?? latest;
    await markAtWork(deps, run);
  }
  for (;;) {
    const placements = await jobs.placements(organization);
    const own = placements.find((each) => each.name === name);
    if (own) return own;
    const end = latest === undefined ? {} : { latest };
    const found = placesAmong(placements, { orders, standing: { isEmpty }, rules: { ...rules, ...end } });
    const number = (placements.at(-1)?.number ?? 0) + 1;
    const placement = { number, name, places: found.places, times: orders.times };
    if (await jobs.addPlacement(organization, placement)) return placement;
  }
}

/**
 * Marks the organization whose lines are stored.
 * @throws when another load has marked it
 */
export async function markAtWork(deps: PlaceDependencies, { organization, name }: ImportRun): Promise<void> {
  if (!(await markLoad(deps, organization, name))) throw otherLoad(organization);
  const job = await deps.jobs.find(organization, name);
  // Another run has done all of it while this one slept, and nobody else would take the mark away.
  if (job?.step === 'ended' || job?.step === 'undone') await unmarkLoad(deps, organization, name);
}

/** Begins a load into an organization that looked empty; false when it is not. */
async function beginFirst(
  deps: PlaceDependencies,
  { organization, name: load }: ImportRun,
  plan: PlacePlan,
): Promise<boolean> {
  const { last, firstTime } = placesAmong(await deps.jobs.placements(organization), plan);
  const first = {
    load,
    last,
    time: plan.time,
    ...(firstTime !== undefined && { firstTime: new Date(firstTime).toISOString() }),
  };
  if (await beginLoad(deps, organization, first)) return true;
  if ((await deps.index.readHead(organization))?.load !== undefined) throw otherLoad(organization);
  return false;
}

/** The places that an import has taken. */
export async function placementOf(
  { jobs }: { jobs: Pick<ImportJobStore, 'placements'> },
  organization: string,
  { number }: PlacedJob,
): Promise<Placement> {
  const found = (await jobs.placements(organization)).find((each) => each.number === number);
  if (!found) throw new Error(`The places of import ${number} of ${organization} are not in the table.`);
  return found;
}
