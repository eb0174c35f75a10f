/**
 * Shows the OpenAPI document with this service's URL and token filled in, and with samples of each request.
 */

const json = (value) => JSON.stringify(value, null, 2);
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** Returns the code samples of an operation in the format of the extension `x-code-samples`. */
function samplesOf(url, method, headers, body) {
  const curl = [
    `curl -i ${method === 'GET' ? '' : `-X ${method} `}${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body ? [`-d ${quoted(json(body))}`] : []),
  ];
  const options = { ...(method !== 'GET' && { method }), headers };
  const fields = json(options).slice(2, -2);
  const javaScript = [
    `const response = await fetch(${json(url)}, {`,
    body ? `${fields},\n  "body": JSON.stringify(${json(body).replaceAll('\n', '\n  ')})` : fields,
    '});',
    'console.log(response.status, await response.text());',
  ];
  return [
    { lang: 'shell', label: 'curl', source: curl.join(' \\\n  ') },
    { lang: 'javascript', label: 'JavaScript', source: javaScript.join('\n') },
  ];
}

const [{ token, publishedToken }, spec] = await Promise.all(
  // The service may have restarted with other options.
  ['/docs/token', '/docs/openapi.json'].map(async (path) =>
    (await fetch(path, { cache: 'no-cache' })).json(),
  ),
);
spec.info.description = spec.info.description
  .replaceAll('$TESTIMONIALS_URL', location.origin)
  .replaceAll('$TESTIMONIALS_TOKEN', token)
  .replaceAll('$PUBLISHED_TOKEN', publishedToken);
for (const [path, operations] of Object.entries(spec.paths)) {
  for (const [method, operation] of Object.entries(operations)) {
    const { parameters = [], requestBody } = operation;
    const examples = (place) => parameters.filter((each) => each.in === place && 'example' in each);
    const url = new URL(location.origin + path);
    for (const { name, example } of examples('query')) url.searchParams.set(name, example);
    const filled = examples('path').reduce(
      (text, { name, example }) => text.replace(encodeURI(`{${name}}`), example),
      url.href,
    );
    const [body] = Object.values(requestBody?.content['application/json'].examples ?? {}).map(
      ({ value }) => value,
    );
    const headers = {
      Authorization: `Bearer ${token}`,
      ...(body && { 'Content-Type': 'application/json' }),
    };
    operation['x-code-samples'] = samplesOf(filled, method.toUpperCase(), headers, body);
    // A filled-in filter would hide a new testimonial, and a filled-in key would return the first one again.
    for (const parameter of parameters) {
      if (parameter.in === 'path') continue;
      delete parameter.example;
      // Otherwise the explorer would propose a random text of this pattern.
      delete parameter.schema.pattern;
    }
  }
}
const explorer = document.querySelector('openapi-explorer');
await explorer.loadSpec(spec);
await explorer.setAuthenticationConfiguration('apiToken', { token });
// Lets keyboard users scroll.
explorer.shadowRoot.querySelector('main').tabIndex = 0;
