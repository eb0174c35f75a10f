/** Finds out how light the background is that a wall stands on. */

/** Receives the theme that suits the background, and the one whose texts are readable on it, if any. */
type Report = (suitable: 'light' | 'dark', readable: 'light' | 'dark' | undefined) => void;

/**
 * Reports the background of an element, now and whenever the theme of the page may have changed.
 * @param probe an element with the color scheme of the page, whose text color is free to use
 * @param signal stops it
 */
export function watchBackground(probe: HTMLElement, signal: AbortSignal, report: Report): void {
  const update = () => {
    const stack = stackBelow(probe);
    for (const element of stack) observer.observe(element, { attributes: true });
    const [darkest, lightest] = luminanceOf(stack, probe);
    // Here all texts of the theme have a contrast of 4.5 (WCAG 2.2, 1.4.3), also if the sum is not exact.
    const readable = darkest > 0.78 ? 'light' : lightest < 0.04 ? 'dark' : undefined;
    report(darkest + lightest < 0.2 ? 'dark' : 'light', readable);
  };
  const observer = new MutationObserver(update);
  observer.observe(document.head, { childList: true, subtree: true });
  signal.addEventListener('abort', () => observer.disconnect());
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', update, { signal });
  // A style sheet has arrived, or a background has faded.
  for (const event of ['load', 'transitionend'])
    document.addEventListener(event, update, { signal, capture: true });
  update();
}

/** Returns what lies below an element, from the top: its ancestors, and pictures and overlays that themes put behind their content. */
function stackBelow(top: Element): Element[] {
  const box = top.getBoundingClientRect();
  const isBelow = (layer: Element) => {
    const { top, right, bottom, left } = layer.getBoundingClientRect();
    return top <= box.top && right >= box.right && bottom >= box.bottom && left <= box.left;
  };
  const stack: Element[] = [];
  for (let element: Element | null = top; element; ) {
    for (let back = element.previousElementSibling; back; back = back.previousElementSibling) {
      if (getComputedStyle(back).position !== 'absolute') continue;
      stack.push(...[...back.querySelectorAll('*')].reverse().concat(back).filter(isBelow));
    }
    const root = element.getRootNode();
    element =
      element.assignedSlot ?? element.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
    if (element) stack.push(element);
  }
  return stack;
}

// A color value to this power is about the luminance.
const gamma = 2.2;

/** Returns the lowest and the highest luminance that a stack can have, because nobody knows the colors of pictures. */
function luminanceOf(stack: readonly Element[], probe: HTMLElement): [darkest: number, lightest: number] {
  let [known, unknown, transparency] = [0, 0, 1];
  /** Adds the average of these colors below the layers so far. What is no color is a picture. */
  const add = (colors: readonly string[], opacity = 1) => {
    const share = (transparency * opacity) / colors.length;
    for (const color of colors) {
      probe.style.color = '';
      probe.style.color = `color(from ${color} xyz-d65 x y z / alpha)`;
      const parts = getComputedStyle(probe).color.split(' ').map(Number.parseFloat);
      const [, , luminance = 0, , , alpha = 1] = probe.style.color ? parts : [];
      if (probe.style.color) known += share * alpha * luminance ** (1 / gamma);
      else unknown += share;
      transparency -= share * alpha;
    }
  };
  for (const element of stack) {
    const { backgroundImage, backgroundColor, opacity } = getComputedStyle(element);
    const isPicture = element.matches('img, video, canvas');
    add(isPicture ? ['picture'] : (backgroundImage.match(/[\w-]+\([^()]*\)/g) ?? []), Number(opacity));
    add([backgroundColor], Number(opacity));
  }
  add(['Canvas']);
  return [known ** gamma, (known + unknown) ** gamma];
}
