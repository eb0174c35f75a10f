/** Determines how light the background of a wall is. */
import { collect, matchesOf } from '../stand-ins.ts';
import { callOn, propertyOf } from './named-access.ts';

/** Receives the theme that suits the background, and the one whose texts are readable on it, if any. */
type Report = (suitable: 'light' | 'dark', readable: 'light' | 'dark' | undefined) => void;

/**
 * Reports the background of an element, now and whenever the theme of the page may have changed.
 * @param probe an element whose text color and color scheme are free to use
 * @param signal stops it
 */
export function watchBackground(probe: HTMLElement, signal: AbortSignal, report: Report): void {
  const update = () => {
    const stack = stackBelow(probe);
    for (const element of stack) observer.observe(element, { attributes: true });
    const [darkest, lightest] = luminanceOf(stack, probe);
    // Here, all texts of the theme have a contrast of 4.5 (WCAG 2.2, 1.4.3), even if the sum is not exact.
    const readable = darkest > 0.78 ? 'light' : lightest < 0.04 ? 'dark' : undefined;
    report(darkest + lightest < 0.2 ? 'dark' : 'light', readable);
    return stack;
  };
  const observer = new MutationObserver(update);
  signal.addEventListener('abort', () => observer.disconnect());
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', update, { signal });
  const stack = update();
  const html = stack[stack.length - 1];
  const head = html?.firstElementChild;
  if (head) observer.observe(head, { childList: true, subtree: true });
  // A style sheet has arrived, a background has faded, or the wall has appeared.
  for (const event of ['load', 'transitionend', 'animationend'])
    html?.addEventListener(event, update, { signal, capture: true });
}

/**
 * Returns the elements behind an element, topmost first: its ancestors, and the images and overlays of
 * themes.
 */
function stackBelow(top: Element): Element[] {
  const stack: Element[] = [];
  const box = top.getBoundingClientRect();
  const addIfBelow = (layer: Element) => {
    const { top, right, bottom, left } = callOn(layer, 'getBoundingClientRect');
    if (top <= box.top && right >= box.right && bottom >= box.bottom && left <= box.left)
      stack[stack.length] = layer;
  };
  for (let element: Element | null = top; element; ) {
    for (let back = before(element); back; back = before(back)) {
      if (getComputedStyle(back).position !== 'absolute') continue;
      const inside = callOn(back, 'querySelectorAll', '*');
      // The index is below the length.
      for (let i = inside.length; i-- > 0; ) addIfBelow(inside[i] as Element);
      addIfBelow(back);
    }
    const root: Node = callOn(element, 'getRootNode');
    element =
      propertyOf(element, 'assignedSlot') ??
      propertyOf(element, 'parentElement') ??
      (root instanceof ShadowRoot ? root.host : null);
    if (element) stack[stack.length] = element;
  }
  return stack;
}

const before = (element: Element) => propertyOf(element, 'previousElementSibling');

// A color value to this power is about the luminance.
const gamma = 2.2;

/**
 * Returns the lowest and the highest luminance that a stack can have, because the colors of pictures are
 * unknown.
 */
function luminanceOf(stack: readonly Element[], probe: HTMLElement): [darkest: number, lightest: number] {
  const { style } = probe;
  let [known, unknown, transparency] = [0, 0, 1];
  /**
   * Adds the average of these colors below the layers so far. A value that is not a color counts as a
   * picture.
   */
  const add = (colors: readonly string[], opacity = 1) => {
    const share = (transparency * opacity) / colors.length;
    for (const color of colors) {
      style.color = '';
      // Written as color(xyz-d65 x y z / alpha).
      style.color = `color-mix(in xyz-d65,${color},${color})`;
      const parts = matchesOf(getComputedStyle(probe).color, / (none|[\d.e+-]+)/g);
      const [, luminance = 0, , alpha = 1] = style.color ? collect(parts, (part) => +part || 0) : [];
      if (style.color) known += share * alpha * luminance ** (1 / gamma);
      else unknown += share;
      transparency -= share * alpha;
    }
  };
  for (const element of stack) {
    const { backgroundImage, backgroundColor, colorScheme, opacity } = getComputedStyle(element);
    // The last element is the root, and browsers paint the canvas in its color scheme.
    style.colorScheme = colorScheme;
    const isPicture = callOn(element, 'matches', 'img,video,canvas');
    add(isPicture ? [''] : matchesOf(backgroundImage, /[\w-]+\([^()]*\)/g), +opacity);
    add([backgroundColor], +opacity);
  }
  add(['Canvas']);
  return [known ** gamma, (known + unknown) ** gamma];
}
