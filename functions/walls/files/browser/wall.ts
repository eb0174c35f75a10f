/** Filters, searches and extends a static wall with testimonials from its data file. */
import { focusCard, moveAlong, nodeOf } from '../../browser/elements.ts';
import { cardOf, countText } from '../../browser/view.ts';
import { type Language, voiceOf } from '../../texts.ts';
import { type Criteria, finderOf } from './search.ts';

const wall = part('main', HTMLElement);
const cards = part('#cards', HTMLUListElement);
const count = part('#count', HTMLElement);
const perPage = Number(wall.dataset.perPage);
// Written by `buildWall`.
const voice = voiceOf(JSON.parse(String(wall.dataset.language)) as Language);

let loading: Promise<ReturnType<typeof finderOf>> | undefined;
// Only the latest request counts, even if an earlier one ends later.
let latest = 0;
// The criteria of the current cards; none at first.
let current = JSON.stringify({ rating: 0, tag: '', search: '' } satisfies Criteria);

const buttons = part('.buttons', HTMLElement);
const more = buttons.querySelector<HTMLButtonElement>('.more');
// Absent if there is only one testimonial.
const controls = document.querySelector<HTMLFormElement>('#controls') ?? undefined;
controls?.addEventListener('input', () => show(perPage));
controls?.addEventListener('submit', (event) => event.preventDefault());
moveAlong(cards, buttons, new AbortController().signal);
more?.addEventListener('click', async () => {
  const before = cards.children.length;
  await show(before + perPage);
  focusCard(cards.children[before]);
});
// The visitor may have typed before this ran, and browsers restore fields.
if (JSON.stringify(currentCriteria()) !== current) show(perPage);
if (parent !== window) new ResizeObserver(sendHeight).observe(wall);

/** Sends the wall's height to the page around its iframe. */
function sendHeight(): void {
  parent.postMessage({ testimonialsWallHeight: Math.ceil(wall.getBoundingClientRect().height) }, '*');
}

/** Shows the matching testimonials. */
async function show(limit: number): Promise<void> {
  const turn = ++latest;
  const criteria = currentCriteria();
  try {
    loading ??= load();
    const matches = (await loading)(criteria);
    if (turn !== latest) return;
    const shown = matches.slice(0, limit);
    // Existing cards stay, so that the reader keeps their place.
    const key = JSON.stringify(criteria);
    const keptCount = key === current && limit > cards.children.length ? cards.children.length : 0;
    const added = shown.slice(keptCount).map((testimonial) => nodeOf(cardOf(testimonial, voice)));
    if (keptCount > 0) cards.append(...added);
    else cards.replaceChildren(...added);
    current = key;
    if (more) more.hidden = shown.length === matches.length;
    count.textContent =
      matches.length === 0 ? voice.say('unmatched') : countText(shown.length, matches.length, voice);
  } catch {
    loading = undefined;
    count.textContent = voice.say('failed');
  }
}

async function load() {
  const response = await fetch(String(wall.dataset.source));
  if (!response.ok) throw new Error(response.statusText);
  return finderOf(await response.json());
}

function currentCriteria(): Criteria {
  const data = new FormData(controls);
  const value = (name: string) => String(data.get(name) ?? '');
  return { rating: Number(value('rating')), tag: value('tag'), search: value('search') };
}

function part<Kind extends Element>(selector: string, kind: new () => Kind): Kind {
  const element = document.querySelector(selector);
  if (!(element instanceof kind)) throw new Error(`The page has no ${selector}.`);
  return element;
}
