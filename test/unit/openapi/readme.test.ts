import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { checkExamples } from './markdown-examples.ts';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

test.each([
  ['README.md', 1, 2],
  ['docs/client.md', 1, 3],
  ['docs/operator.md', 0, 2],
])('the examples of %s match docs/openapi.json', (page, leastResponses, leastRequests) => {
  const { wrong, responses, requests } = checkExamples(read(page));
  expect(wrong).toEqual([]);
  expect(responses).toBeGreaterThanOrEqual(leastResponses);
  expect(requests).toBeGreaterThanOrEqual(leastRequests);
});

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

429 \`{"message":"Too Many Requests"}\` comes from API Gateway.
`;

test('correct examples are no findings', () => {
  expect(checkExamples(page)).toEqual({ responses: 4, requests: 4, wrong: [] });
});

test.each([
  ['a body with a field that there is not', '"rating":5', '"stars":5'],
  ['a body with a wrong value', '"rating":5', '"rating":6'],
  ['a body that is no JSON', '"type":"text"}\'', '"type":"text"\''],
  ['an answer with a field that there is not', '{"id":"test_1"', '{"likes":2,"id":"test_1"'],
  ['a list with another pagination', '"totalPages":1', '"pages":1'],
  ['an error with another code', '"code":"validation_error"', '"code":"invalid"'],
  ["another answer of API Gateway's", '{"message":"Too', '{"reason":"Too'],
  ['a parameter that there is not', '-d rating=4', '-d stars=4'],
  ["a parameter of the operator's commands", 'status=approved', 'state=approved'],
  ['another path', 'curl -G $TESTIMONIALS_URL/v1/', 'curl -G $TESTIMONIALS_URL/v2/'],
])('%s is a finding', (_, example, drifted) => {
  expect(page).toContain(example);
  expect(checkExamples(page.replace(example, () => drifted)).wrong).toHaveLength(1);
});
