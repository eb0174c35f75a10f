import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { checkExamples } from './markdown-examples.ts';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

test.each([
  ['README.md', 1, 2],
  ['docs/client.md', 1, 3],
  ['examples/errors.sh', 0, 6],
  ['docs/operator.md', 0, 2],
])('the examples of %s match docs/openapi.json', (page, leastResponses, leastRequests) => {
  const text = page.endsWith('.sh') ? pageOf(read(page)) : read(page);
  const { wrong, responses, requests } = checkExamples(text);
  expect(wrong).toEqual([]);
  expect(responses).toBeGreaterThanOrEqual(leastResponses);
  expect(requests).toBeGreaterThanOrEqual(leastRequests);
});

/** Returns a script as a page: each comment that begins with a status is a paragraph before its commands. */
const pageOf = (script: string) =>
  script
    .split(/^# (?=\d{3} )/m)
    .map((part) => part.replace('\n', '\n\n```sh\n').concat('```\n'))
    .join('\n');

const testimonial =
  '{"id":"test_1","content":"Amazing product!","author":{"name":"Jo","email":"jo@example.com"},"type":"text",' +
  '"status":"pending","tags":[],"createdAt":"2026-11-21T03:11:02.622Z","updatedAt":"2026-11-21T03:11:02.622Z"}';

// All kinds of examples on the pages.
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
npm run admin -- testimonial list --organization demo --where 'status=approved&page=3'
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

test('correct examples, and errors that the text announces, are no findings', () => {
  expect(checkExamples(page)).toEqual({ responses: 4, requests: 7, wrong: [] });
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
