/** Shows the document, with the token of the running service filled in. */
const dark = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followScheme);
followScheme();

// Headings by what they stand above, from the title down without a gap.
const headingLevels = [
  ['.opblock-tag, .models h4', 2],
  ['.opblock h4', 3],
  ['.headers__title', 4],
];

/** Names what Swagger UI leaves without a name, puts its headings in order, and lets the keyboard reach what can be scrolled. */
function makeAccessible() {
  for (const control of document.querySelectorAll('select, textarea, input')) {
    const hasName = Array.from(control.labels ?? []).some((label) => label.innerText.trim() !== '');
    if ((hasName && control.id !== 'servers') || control.hasAttribute('aria-label')) continue;
    const row = control.closest('tr');
    const name = row?.dataset.paramName ?? row?.dataset.code;
    const what = control.closest('.examples-select')
      ? 'Example'
      : control.id === 'servers'
        ? 'Server'
        : 'Value';
    control.setAttribute(
      'aria-label',
      name ? `${what} of ${name}` : control.matches('textarea') ? 'Body' : what,
    );
  }
  for (const [selector, level] of headingLevels) {
    for (const heading of document.querySelectorAll(selector)) {
      if (heading.ariaLevel !== String(level)) heading.ariaLevel = String(level);
    }
  }
  for (const box of document.querySelectorAll('.microlight')) {
    if (!box.hasAttribute('tabindex')) box.setAttribute('tabindex', '0');
  }
}
new MutationObserver(makeAccessible).observe(document.body, { childList: true, subtree: true });

/** An error of an operation is one line, until somebody wants to read it. */
const foldErrors = {
  wrapComponents: {
    response:
      (Response, { React: { createElement, Fragment, useState } }) =>
      (props) => {
        const { code, response } = props;
        const [isOpen, setOpen] = useState(false);
        if (!/^[45]/.test(code)) return createElement(Response, props);
        const onClick = () => setOpen(!isOpen);
        const line = createElement(
          'tr',
          { className: 'folded' },
          createElement('td', {}, code),
          createElement(
            'td',
            { colSpan: 2 },
            createElement(
              'button',
              { type: 'button', 'aria-expanded': isOpen, onClick },
              response.get('description').replaceAll('`', ''),
            ),
          ),
        );
        return createElement(Fragment, {}, line, isOpen && createElement(Response, props));
      },
  },
};

const [{ token, publishedToken }, spec] = await Promise.all(
  ['/docs/token', '/docs/openapi.json'].map(async (path) => (await fetch(path)).json()),
);
// Filled in, a key would refuse a second testimonial, and a filter would hide it from the list.
for (const { parameters } of Object.values(spec.paths).flatMap(Object.values)) {
  for (const parameter of parameters) delete parameter.example;
}
spec.components.securitySchemes.apiToken.description += ` To try what a web page may read, log out and take \`${publishedToken}\`.`;
const ui = globalThis.SwaggerUIBundle({
  spec,
  dom_id: '#swagger-ui',
  plugins: [foldErrors],
  tryItOutEnabled: true,
  // It would ask a server elsewhere.
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
  onComplete: () => ui.preauthorizeApiKey('apiToken', token),
});
