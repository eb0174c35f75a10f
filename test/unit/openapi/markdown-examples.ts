/** Checks the examples of a Markdown page, JSON and requests of shell commands, against docs/openapi.json. */
import { errorCodes } from '../../../functions/http/api-error.ts';
import { operationOf, problems } from '../../../lib/check/contract/documented.ts';
import { requestProblems } from '../../openapi.ts';

export interface Examples {
  responses: number;
  requests: number;
  /** The examples that contradict docs/openapi.json. */
  wrong: string[];
}

export function checkExamples(markdown: string): Examples {
  const blocks = blocksOf(markdown);
  const responses = [
    ...blocks.filter(({ language }) => language === 'json').map(({ text }) => text),
    // `{"message":"…"}` within a sentence, unless it is only a sketch of JSON.
    ...[...markdown.matchAll(/`(\{"[^`\n]+\})`/g)].map(([, text = '']) => text).filter(isJson),
  ];
  const requests = blocks.filter(({ language }) => language === 'sh').flatMap(({ text }) => requestsOf(text));
  const examples = [
    ...responses.map((text) => [text, () => responseProblems(text)] as const),
    ...requests.map((request) => [JSON.stringify(request), () => wrongWith(request)] as const),
  ];
  return {
    responses: responses.length,
    requests: requests.length,
    wrong: examples.flatMap(([example, problemsOf]) => {
      const found = readable(problemsOf);
      return found.length > 0 ? `${example.trim()}: ${found.join('; ')}` : [];
    }),
  };
}

/** Returns the problems; an exception is one. */
function readable(problemsOf: () => string[]): string[] {
  try {
    return problemsOf();
  } catch (error) {
    return [String(error)];
  }
}

function blocksOf(markdown: string): { language: string; text: string }[] {
  return [...markdown.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(({ 1: language = '', 2: text = '' }) => ({
    language,
    text,
  }));
}

function isJson(text: string): boolean {
  try {
    return Boolean(JSON.parse(text));
  } catch {
    return false;
  }
}

function responseProblems(text: string): string[] {
  const response: { error?: { code?: string } } = JSON.parse(text);
  const { code } = response.error ?? {};
  if (code !== undefined && !errorCodes.some((each) => each === code))
    return [`no error has the code ${code}`];
  const [, schema] = schemas.find(([field]) => field in response) ?? [];
  return problems({ $ref: `#/components/schemas/${schema ?? 'Testimonial'}` }, response, 'closed');
}

/** Schemas of responses by their distinctive field. */
const schemas = [
  ['error', 'ErrorBody'],
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

/** Returns the requests of curl commands, and the list parameters of operator commands. */
function requestsOf(shell: string): Request[] {
  const calls = [...shell.matchAll(/\bcurl /g)].map(({ index }) =>
    requestOfCurl(wordsOf(shell.slice(index))),
  );
  const queries = [...shell.matchAll(/--where '([^']*)'/g)];
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

/** Returns the words of the first command, up to an unescaped line end outside quotes. */
function wordsOf(shell: string): string[] {
  const words: string[] = [];
  for (const [word, single, double] of shell.matchAll(/\\\n|\n|'([^']*)'|"((?:[^"\\]|\\.)*)"|[^\s'"]+/g)) {
    if (word === '\n') break;
    if (word !== '\\\n') words.push(single ?? double?.replace(/\\(.)/g, '$1') ?? word);
  }
  return words;
}

function wrongWith({ method, path, query, body }: Request): string[] {
  const operation = operationOf(`${method} ${path}`);
  if (!operation) return ['does not exist'];
  return requestProblems(operation, { query, headers: {}, body }, 'closed');
}
