/** The reference in prose, made of the document: what an operation is for, the request as curl, and the answer. */

/** An element with attributes and children; a text is text. */
function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.flat());
  return element;
}

/** A text of the document, in which what stands between backquotes is code. */
function prose(text = '') {
  return text.split('`').map((part, i) => (i % 2 === 0 ? part : el('code', {}, part)));
}

/** Something to copy. */
function sample(title, text) {
  const button = el('button', { type: 'button' }, 'Copy');
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  });
  const code = el('pre', { tabindex: '0', 'aria-label': title }, el('code', {}, text));
  return el('div', { class: 'sample' }, el('p', { class: 'sample-head' }, title, button), code);
}

const json = (value) => JSON.stringify(value, null, 2);
const quoted = (text) => `'${String(text).replaceAll("'", "'\\''")}'`;

const api = await (await fetch('/docs/openapi.json')).json();
const { token } = await (await fetch('/docs/token')).json();

function resolved(schema = {}) {
  return schema.$ref ? api.components.schemas[schema.$ref.split('/').at(-1)] : schema;
}

/** The rules of a value, in few words. */
function rulesOf(schema, isRequired) {
  const {
    type,
    enum: values,
    format,
    minimum,
    maximum,
    minLength,
    maxLength,
    maxItems,
    default: usual,
  } = schema;
  const range = (least, most, what) =>
    most === undefined
      ? []
      : `${least === undefined ? 'at most' : `${least} to`} ${most.toLocaleString('en')}${what}`;
  return [
    isRequired ? 'required' : [],
    values ? values.join(', ') : [type ?? [], format ?? []].flat().join(', '),
    range(minimum, maximum, ''),
    range(minLength, maxLength, ' characters'),
    range(undefined, maxItems, ' items'),
    usual === undefined ? [] : `${usual} by default`,
  ].flat();
}

/** Fields with what they are; those of an object under it. */
function fieldsOf(schema, prefix = '') {
  const { properties = {}, required = [] } = resolved(schema);
  return Object.entries(properties).flatMap(([name, field]) => {
    const inner = fieldsOf(field, `${prefix}${name}.`);
    return [[`${prefix}${name}`, resolved(field), required.includes(name)], ...inner];
  });
}

function fieldList(title, fields) {
  if (fields.length === 0) return [];
  const items = fields.flatMap(([name, schema, isRequired, description = schema.description]) => [
    el('dt', {}, el('code', {}, name), ' ', el('span', {}, rulesOf(schema, isRequired).join(' · '))),
    el('dd', {}, prose(description)),
  ]);
  return [el('h4', {}, title), el('dl', {}, items)];
}

/** The request, with the examples of the document. */
function curlOf(path, method, { parameters = [], requestBody }) {
  const place = path.replace(
    /\{(\w+)\}/g,
    (_, name) => parameters.find((each) => each.name === name).example,
  );
  const query = parameters.filter((each) => each.in === 'query' && each.example !== undefined);
  const body = requestBody?.content['application/json']?.example;
  return [
    `curl ${{ get: query.length > 0 ? '-G ' : '', post: '' }[method] ?? `-X ${method.toUpperCase()} `}"$TESTIMONIALS_URL${place}"`,
    '-H "Authorization: Bearer $TESTIMONIALS_TOKEN"',
    ...query.map(({ name, example }) => `--data-urlencode ${quoted(`${name}=${example}`)}`),
    ...(body ? ["-H 'Content-Type: application/json'", `-d ${quoted(json(body))}`] : []),
  ].join(' \\\n  ');
}

/** The answers of a status, each by the name of its example. */
function answersOf(status, { description, content }) {
  const examples = Object.entries(content?.['application/json']?.examples ?? {});
  return [
    el('p', {}, prose(description)),
    ...examples.map(([name, { value }]) => sample(`${status} ${name}`, json(value))),
  ];
}

function operation(path, method, described) {
  const { operationId, summary, description, parameters = [], requestBody, responses } = described;
  const inputs = parameters.map((each) => [each.name, each.schema, each.required, each.description]);
  const statuses = Object.entries(responses);
  const errors = statuses.filter(([status]) => status >= 400);
  return el(
    'section',
    { class: 'operation', id: operationId, 'aria-labelledby': `${operationId}-title` },
    el(
      'div',
      { class: 'what' },
      el('h3', { id: `${operationId}-title` }, summary),
      el('p', { class: 'route' }, el('b', {}, method.toUpperCase()), ` ${path}`),
      el('p', {}, prose(description)),
      fieldList('Parameters', inputs),
      fieldList('Body', requestBody ? fieldsOf(requestBody.content['application/json'].schema) : []),
    ),
    el('div', { class: 'request' }, sample('Request', curlOf(path, method, described))),
    el(
      'div',
      { class: 'answer' },
      statuses.filter(([status]) => status < 400).flatMap(([status, each]) => answersOf(status, each)),
      el('h4', {}, 'Errors'),
      errors.map(([status, each]) =>
        el(
          'details',
          {},
          el('summary', {}, `${status} ${each.description.split(/[:.,]/)[0]}`),
          answersOf(status, each),
        ),
      ),
    ),
  );
}

const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => [path, method, described]),
);
const { title, version, description } = api.info;
const start = `export TESTIMONIALS_URL=${location.origin}\nexport TESTIMONIALS_TOKEN=${token}`;

document.body.append(
  el(
    'header',
    {},
    el(
      'nav',
      { 'aria-label': 'Pages' },
      el('a', { href: '/docs' }, 'Try it in the browser'),
      ' ',
      el('a', { href: '/docs/openapi.json' }, 'openapi.json'),
    ),
    el(
      'nav',
      { 'aria-label': 'Operations' },
      operations.flatMap(([, , each]) => [el('a', { href: `#${each.operationId}` }, each.summary), ' ']),
    ),
  ),
  el(
    'main',
    {},
    el(
      'section',
      { class: 'operation' },
      el('div', { class: 'what' }, el('h1', {}, `${title} ${version}`), el('p', {}, prose(description))),
      el('div', { class: 'request' }, sample('For the requests below', start)),
      el('div', { class: 'answer' }, el('p', {}, prose(api.components.securitySchemes.apiToken.description))),
    ),
    ...api.tags.flatMap((tag) => [
      el('h2', {}, tag.name),
      el('p', { class: 'tag' }, prose(tag.description)),
      ...operations.filter(([, , { tags }]) => tags.includes(tag.name)).map((each) => operation(...each)),
    ]),
  ),
);
// The address may have named a part before it was there.
if (location.hash) document.querySelector(`${location.hash}`)?.scrollIntoView();
