/** The examples of the pages are what docs/openapi.json says: their JSON, and the requests of their shell commands. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { operationOf, problems, requestProblems } from '../../openapi-problems.ts';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

test.each([
  ['README.md', 1, 2],
  ['docs/client.md', 1, 3],
  ['docs/operator.md', 0, 2],
])('the examples of %s are what docs/openapi.json says', (page, leastAnswers, leastRequests) => {
  const { wrong, answers, requests } = checkExamples(read(page));
  expect(wrong).toEqual([]);
  expect(answers).toBeGreaterThanOrEqual(leastAnswers);
  expect(requests).toBeGreaterThanOrEqual(leastRequests);
});

const testimonial =
  '{"id":"test_1","content":"Amazing product!","author":{"name":"Jo","email":"jo@example.com"},"type":"text",' +
  '"status":"pending","tags":[],"createdAt":"2026-11-21T03:11:02.622Z","updatedAt":"2026-11-21T03:11:02.622Z"}';

// Every kind of example that the pages have.
const page = `
\`\`\`sh
ID=$(curl -s $TESTIMONIALS_URL/v1/testimonials \\
  -H 'Content-Type: application/json' \\
  -d '{"content":"Amazing product!",
       "author":{"name":"Jo","email":"jo@example.com"},"rating":5,"type":"text"}')
\`\`\`

\`\`\`json
${testimonial}
\`\`\`

\`\`\`sh
curl -G $TESTIMONIALS_URL/v1/testimonials --data-urlencode 'search=amaz prod' -d rating=4
npm run admin -- explain --organization demo 'status=approved&page=3'
npm run admin -- testimonial approve --where 'tags=a,b'
\`\`\`

\`\`\`json
{"testimonials":[${testimonial}],"pagination":{"page":1,"limit":25,"total":1,"totalPages":1,"hasNext":false,"hasPrev":false}}
\`\`\`

Every error is \`{"error":{"code","message","details"?,"requestId"}}\`, as

\`\`\`json
{"error":{"code":"validation_error","message":"No.","details":{"content":"is required"},"requestId":"1"}}
\`\`\`

400 \`bad_request\`: a parameter is malformed.

\`\`\`sh
curl "$TESTIMONIALS_URL/v1/testimonials?limit=0" -H "Authorization: Bearer $TESTIMONIALS_TOKEN"
\`\`\`

404 \`not_found\`: there is no such operation.

\`\`\`sh
curl "$TESTIMONIALS_URL/v1/nothing"
\`\`\`

422 \`validation_error\`: the testimonial breaks a rule.

\`\`\`sh
curl "$TESTIMONIALS_URL/v1/testimonials" -d "{\\"content\\":\\"A good product\\",\\"author\\":
  {\\"name\\":\\"Jo\\",\\"email\\":\\"jo@example.com\\"},\\"type\\":\\"note\\"}"
\`\`\`

429 \`{"message":"Too Many Requests"}\` comes from API Gateway.
`;

test('what is right, and what is announced as wrong, is no finding', () => {
  expect(checkExamples(page)).toEqual({ answers: 4, requests: 7, wrong: [] });
});

test.each([
  ['a body with a field that there is not', '"rating":5', '"stars":5'],
  ['a body without a field', '"email":"jo@example.com"},"rating"', '"company":"A"},"rating"'],
  ['a body with a wrong value', '"rating":5', '"rating":6'],
  ['a body that is no JSON', '"type":"text"}\'', '"type":"text"\''],
  ['an answer with a field that there is not', '{"id":"test_1"', '{"likes":2,"id":"test_1"'],
  ['an answer without a field', '"status":"pending",', ''],
  ['a list with another pagination', '"totalPages":1', '"pages":1'],
  ['an error with another code', '"code":"validation_error"', '"code":"invalid"'],
  ["another answer of API Gateway's", '{"message":"Too', '{"reason":"Too'],
  ['a parameter that there is not', '-d rating=4', '-d stars=4'],
  ['a parameter with a wrong value', '-d rating=4', '-d rating=6'],
  ["a parameter of the operator's commands", 'status=approved', 'state=approved'],
  ['a condition of a command', "--where 'tags", "--where 'labels"],
  ['another path', 'curl -G $TESTIMONIALS_URL/v1/', 'curl -G $TESTIMONIALS_URL/v2/'],
  ['a request that is to be refused and is not', 'limit=0', 'limit=10'],
  ['a body that is to be refused and is not', '\\"note\\"', '\\"text\\"'],
  ['a path that is to be unknown and is not', '/v1/nothing', '/v1/testimonials'],
])('%s is a finding', (_, example, drifted) => {
  expect(page).toContain(example);
  expect(checkExamples(page.replace(example, () => drifted)).wrong).toHaveLength(1);
});

/** Holds each example of a page against docs/openapi.json; `wrong` says where one differs. */
function checkExamples(markdown: string) {
  const blocks = blocksOf(markdown);
  const answers = [
    ...blocks.filter(({ language }) => language === 'json').map(({ text }) => text),
    // `{"message":"…"}` within a sentence; what only sketches a shape is no JSON.
    ...[...markdown.matchAll(/`(\{"[^`\n]+\})`/g)].map(([, text = '']) => text).filter(isJson),
  ];
  const requests = blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text, refusal }) => requestsOf(text).map((request) => ({ ...request, refusal })));
  const examples = [
    ...answers.map((text) => [text, () => answerProblems(text)] as const),
    ...requests.map((request) => [JSON.stringify(request), () => wrongWith(request)] as const),
  ];
  return {
    answers: answers.length,
    requests: requests.length,
    wrong: examples.flatMap(([example, problemsOf]) => {
      const found = readable(problemsOf);
      return found.length > 0 ? `${example.trim()}: ${found.join('; ')}` : [];
    }),
  };
}

/** The problems; that it is no JSON is one. */
function readable(problemsOf: () => string[]): string[] {
  try {
    return problemsOf();
  } catch (error) {
    return [String(error)];
  }
}

interface Block {
  language: string;
  text: string;
  /** The error that the paragraph before announces: "400 `bad_request`: …". */
  refusal: string | undefined;
}

function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(
    ({ 1: language = '', 2: text = '', index }) => {
      const paragraph = markdown.slice(0, index).trimEnd().split('\n\n').at(-1) ?? '';
      return { language, text, refusal: /^\d{3} `(\w+)`/.exec(paragraph)?.[1] };
    },
  );
}

function isJson(text: string): boolean {
  try {
    return Boolean(JSON.parse(text));
  } catch {
    return false;
  }
}

function answerProblems(text: string): string[] {
  const answer: object = JSON.parse(text);
  const [, schema] = schemas.find(([field]) => field in answer) ?? [];
  return problems({ $ref: `#/components/schemas/${schema ?? 'Testimonial'}` }, answer, 'closed');
}

/** What an answer is, by a field that no other has. */
const schemas = [
  ['error', 'Error'],
  ['testimonials', 'TestimonialList'],
  ['message', 'GatewayError'],
] as const;

interface Request {
  method: string;
  path: string;
  query: string;
  body?: string | undefined;
}

const listPath = '/v1/testimonials';

/** The requests of shell commands: of curl, and the list parameters that the operator's commands take. */
function requestsOf(shell: string): Request[] {
  const calls = [...shell.matchAll(/\bcurl /g)].map(({ index }) =>
    requestOfCurl(wordsOf(shell.slice(index))),
  );
  const queries = [...shell.matchAll(/(?:admin -- explain .*?|--where )'([^']*)'/g)];
  return [...calls, ...queries.map(([, query = '']) => ({ method: 'GET', path: listPath, query }))];
}

function requestOfCurl(words: string[]): Request {
  const data = words.filter((_, i) => /^(-d|--data.*)$/.test(words[i - 1] ?? ''));
  const [path = '', query = ''] =
    words.find((word) => word.startsWith('$TESTIMONIALS_URL'))?.split('?') ?? [];
  const called = { path: path.replace('$TESTIMONIALS_URL', '').replace(/(?<=testimonials\/)\$ID$/, '{id}') };
  if (words.includes('-G'))
    return { ...called, method: 'GET', query: [query, ...data].filter(Boolean).join('&') };
  const method = words[words.indexOf('-X') + 1 || words.length] ?? (data.length > 0 ? 'POST' : 'GET');
  return { ...called, method, query, ...(data.length > 0 && { body: data.join('&') }) };
}

/** The words of the first command: up to a line's end that is not escaped or quoted. */
function wordsOf(shell: string): string[] {
  const words: string[] = [];
  for (const [word, single, double] of shell.matchAll(/\\\n|\n|'([^']*)'|"((?:[^"\\]|\\.)*)"|[^\s'"]+/g)) {
    if (word === '\n') break;
    if (word !== '\\\n') words.push(single ?? double?.replace(/\\(.)/g, '$1') ?? word);
  }
  return words;
}

function wrongWith({
  method,
  path,
  query,
  body,
  refusal,
}: Request & { refusal: string | undefined }): string[] {
  const operation = operationOf(`${method} ${path}`);
  if (refusal === 'not_found') return operation ? ['exists'] : [];
  if (!operation) return ['does not exist'];
  // A token is judged before anything else.
  if (refusal === 'forbidden') return [];
  const found = requestProblems(operation, { query, headers: {}, body }, 'closed');
  const isToBeRefused = refusal === 'bad_request' || refusal === 'validation_error';
  if (!isToBeRefused) return found;
  return found.length > 0 ? [] : [`is not refused by ${refusal}`];
}
