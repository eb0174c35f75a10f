/**
 * Checks the live wall in each frame of the page, and returns what is wrong with it and the styles that its
 * parts inherit. Everything it needs is inside, because tests send its text to the browser.
 * @param {boolean} isPaper whether backgrounds are left out, as on paper
 */
// biome-ignore lint/correctness/noUnusedVariables: the test calls it
function inspectWalls(isPaper) {
  // Everything that elements inherit, except the font family and colors.
  const inherited = [
    ...[
      'font-size',
      'font-weight',
      'font-style',
      'font-stretch',
      'font-variant',
      'font-kerning',
      'line-height',
    ],
    ...[
      'font-feature-settings',
      'letter-spacing',
      'word-spacing',
      'text-align',
      'text-align-last',
      'hyphens',
    ],
    ...['text-transform', 'text-indent', 'text-shadow', 'text-justify', 'text-rendering', 'text-wrap-mode'],
    ...['text-wrap-style', 'white-space-collapse', 'word-break', 'line-break', 'overflow-wrap', 'tab-size'],
    ...['cursor', 'quotes', 'list-style-type', 'writing-mode', 'border-collapse', 'border-spacing'],
    ...['-webkit-text-stroke-width', 'text-decoration-line'],
  ];
  const parts = [
    '.card',
    '.quote > p',
    '.name',
    '.affiliation',
    'time',
    '.initials',
    '.tag',
    'button',
    'summary',
  ];

  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const colors = new Map();
  const white = [255, 255, 255, 1];

  /** Returns red, green, blue from 0 to 255, and opacity from 0 to 1. */
  function colorOf(text) {
    if (!colors.has(text)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = text;
      canvas.fillRect(0, 0, 1, 1);
      const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
      colors.set(text, [red, green, blue, alpha / 255]);
    }
    return colors.get(text);
  }

  function over([r, g, b, alpha], under) {
    return [...[r, g, b].map((value, i) => value * alpha + under[i] * (1 - alpha)), 1];
  }

  /** Returns the contrast of two colors (WCAG 2.2). */
  function contrast(...pair) {
    const [low, high] = pair
      .map((color) => {
        const [red, green, blue] = color.map((value) => {
          const part = value / 255;
          return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
      })
      .sort((a, b) => a - b);
    return high / low;
  }

  /** Returns the parent in the page as it is drawn. */
  const parentOf = (element) =>
    element.assignedSlot ?? element.parentElement ?? element.getRootNode().host ?? null;

  /**
   * Returns the colors that may be behind an element. The pages mark their pictures, and layers that lie
   * behind.
   */
  function behind(element) {
    if (isPaper || !element) return [white];
    const { backgroundColor, backgroundImage, colorScheme } = getComputedStyle(element);
    const own = colorOf(backgroundColor);
    if (own[3] === 1 && backgroundImage === 'none') return [own];
    const { picture, behind: selector } = element.dataset;
    const layer = selector && element.ownerDocument.querySelector(selector);
    let under = picture === undefined ? undefined : [white, [0, 0, 0, 1]];
    if (layer) under = [colorOf(getComputedStyle(layer).backgroundColor)];
    if (!element.parentNode.host && element.matches('html') && colorScheme === 'dark')
      under = [colorOf('#121212')];
    const below = (under ?? behind(parentOf(element))).map((color) => over(own, color));
    const stops = backgroundImage.includes('url(') ? null : backgroundImage.match(/rgba?\([^)]*\)/g);
    return stops ? stops.flatMap((stop) => below.map((color) => over(colorOf(stop), color))) : below;
  }

  /**
   * Nothing is wider than its box, the wall has the width of its box and the height of its cards, and nothing
   * moved.
   */
  function layoutProblems(host, wall) {
    const found = [];
    const view = host.ownerDocument.defaultView;
    for (let box = parentOf(host); box; box = parentOf(box)) {
      const isWindow = box.matches('html');
      const width = isWindow ? view.innerWidth : box.clientWidth + 1;
      const isScrolled = isWindow || getComputedStyle(box).overflowX !== 'visible';
      if (isScrolled && box.scrollWidth > width)
        found.push(`${box.localName} scrolls: ${box.scrollWidth} of ${width}`);
    }
    const { width, height } = host.getBoundingClientRect();
    const least = host.closest('aside') ? 239 : Math.min(560, 0.55 * view.innerWidth);
    if (width < least) found.push(`only ${width} wide`);
    const white = height - wall.offsetHeight;
    if (white > 1) found.push(`${white} white below`);
    if (view.shift() >= 0.1) found.push(`a layout shift of ${view.shift()}`);
    return found;
  }

  /** Names are whole, and no word of them is broken. */
  function nameProblems(wall) {
    return [...wall.querySelectorAll('.name')].flatMap((name) => {
      if (name.scrollHeight > name.clientHeight + 1) return `the name ${name.textContent} is cut off`;
      return [...name.textContent.matchAll(/[^\s-]+/g)].flatMap(({ index, 0: word }) => {
        const range = name.ownerDocument.createRange();
        range.setStart(name.firstChild.firstChild, index);
        range.setEnd(name.firstChild.firstChild, index + word.length);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        return lines.size > 1 ? `the name ${word} is broken` : [];
      });
    });
  }

  /** Letters are large enough, and readable on everything that may be behind them. */
  function letterProblems(wall) {
    const texts = [...wall.querySelectorAll('*')].filter(
      (element) =>
        [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) &&
        element.checkVisibility() &&
        !element.closest('.visually-hidden'),
    );
    return texts.flatMap((element) => {
      const { fontSize, color } = getComputedStyle(element);
      const name = `${element.parentElement.className} ${element.localName}`;
      const small = Number.parseFloat(fontSize) < 12 ? [`${name}: letters of ${fontSize}`] : [];
      const contrasts = behind(element).map((back) => contrast(over(colorOf(color), back), back));
      const lowest = Math.min(...contrasts);
      return lowest < 4.5 ? [...small, `${name}: a contrast of ${lowest.toFixed(2)}`] : small;
    });
  }

  function stylesOf(wall) {
    const found = parts.map((part) => [part, wall.querySelector(part)]).filter(([, element]) => element);
    return Object.fromEntries(
      found.map(([part, element]) => {
        const style = getComputedStyle(element);
        return [part, inherited.map((name) => `${name}: ${style.getPropertyValue(name)}`)];
      }),
    );
  }

  return [...document.querySelectorAll('iframe')].map(({ contentDocument }) => {
    const host = contentDocument.querySelector('testimonials-wall');
    const wall = host.shadowRoot.querySelector('.wall');
    const problems = [...layoutProblems(host, wall), ...nameProblems(wall), ...letterProblems(wall)];
    return { problems: [...new Set(problems)], styles: stylesOf(wall) };
  });
}
