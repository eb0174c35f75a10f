/** What the wall does beyond standing there: filters, a search, and more testimonials from the file beside it. */

import { moveAlong, readOn } from '../../browser/move-along.ts';
import { nodeOf } from '../../browser/nodes.ts';
import { cardOf, countText } from '../../browser/view.ts';
import { type Language, voiceOf } from '../../texts.ts';
import { finderOf, type Wanted } from './search.ts';

const wall = part('main', HTMLElement);
const cards = part('#cards', HTMLUListElement);
const count = part('#count', HTMLElement);
const perPage = Number(wall.dataset.perPage);
// The page has them of whoever built it.
const voice = voiceOf(JSON.parse(String(wall.dataset.language)) as Language);

let loading: Promise<ReturnType<typeof finderOf>> | undefined;
// What was asked last counts, whenever the file arrives.
let asked = 0;
// What the cards that stand there were wanted by: at first nothing.
let standing = JSON.stringify({ rating: 0, tag: '', search: '' } satisfies Wanted);

const buttons = part('.buttons', HTMLElement);
const more = buttons.querySelector<HTMLButtonElement>('.more');
// One testimonial has none.
const controls = document.querySelector<HTMLFormElement>('#controls') ?? undefined;
controls?.addEventListener('input', () => show(perPage));
controls?.addEventListener('submit', (event) => event.preventDefault());
moveAlong(cards, buttons, new AbortController().signal);
more?.addEventListener('click', async () => {
  const before = cards.children.length;
  await show(before + perPage);
  readOn(cards.children[before]);
});
// What was typed before this ran, or what the browser kept.
if (JSON.stringify(wantedNow()) !== standing) show(perPage);
if (parent !== window) new ResizeObserver(tellHeight).observe(wall);

/** Tells the page whose iframe this is in how high it would be without a scroll bar. A height is no secret. */
function tellHeight(): void {
  parent.postMessage({ testimonialsWallHeight: Math.ceil(wall.getBoundingClientRect().height) }, '*');
}

/** Shows the testimonials that are wanted. */
async function show(most: number): Promise<void> {
  const turn = ++asked;
  const wanted = wantedNow();
  try {
    loading ??= load();
    const found = (await loading)(wanted);
    if (turn !== asked) return;
    const shown = found.slice(0, most);
    // What stands there already is not made again: it keeps its place and the reader's.
    const key = JSON.stringify(wanted);
    const kept = key === standing && most > cards.children.length ? cards.children.length : 0;
    const made = shown.slice(kept).map((testimonial) => nodeOf(cardOf(testimonial, voice)));
    if (kept > 0) cards.append(...made);
    else cards.replaceChildren(...made);
    standing = key;
    if (more) more.hidden = shown.length === found.length;
    count.textContent =
      found.length === 0 ? voice.say('unmatched') : countText(shown.length, found.length, voice);
  } catch {
    loading = undefined;
    count.textContent = voice.say('failed');
  }
}

async function load() {
  const answer = await fetch(String(wall.dataset.source));
  if (!answer.ok) throw new Error(answer.statusText);
  return finderOf(await answer.json());
}

function wantedNow(): Wanted {
  const data = new FormData(controls);
  const value = (name: string) => String(data.get(name) ?? '');
  return { rating: Number(value('rating')), tag: value('tag'), search: value('search') };
}

function part<Kind extends Element>(selector: string, kind: new () => Kind): Kind {
  const found = document.querySelector(selector);
  if (!(found instanceof kind)) throw new Error(`The page has no ${selector}.`);
  return found;
}
