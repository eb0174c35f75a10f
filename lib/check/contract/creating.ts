/** Creating: what is stored, what is refused, and what a repeated request does. */
import { randomBytes } from 'node:crypto';
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import { type Answer, answerText } from '../deployed-api.ts';
import type { Check, Deployment } from '../deployment.ts';
import { expectSame, NotHeld } from '../not-held.ts';
import { expectRefused, refusing } from './refusals.ts';
import { createRequest, sampleBody } from './sample-bodies.ts';

/**
 * The testimonial that a create was answered with; it is known from then on.
 * @throws {NotHeld} when the answer is no 201
 */
export function expectCreated({ known }: Pick<Deployment, 'known'>, answer: Answer): Testimonial {
  if (answer.status !== 201) throw new NotHeld(answerText(answer));
  const testimonial = answer.body as Testimonial; // every answer is held against the document
  known.created(testimonial);
  return testimonial;
}

/** Creates from a body and expects what the answer says beside the id and the times. */
async function creates(deployment: Deployment, body: unknown, expected: object): Promise<Testimonial> {
  const testimonial = expectCreated(deployment, await deployment.api.create(body));
  const { id: _, createdAt, updatedAt, ...rest } = testimonial;
  expectSame('the answer', rest, { ...expected, status: 'pending' });
  expectSame('updatedAt', updatedAt, createdAt);
  return testimonial;
}

const whole = sampleBody({
  author: { name: 'Łucja Nowak', email: 'lucja@example.com', company: 'Æther Ø' },
  rating: 5,
  type: 'video',
  tags: ['Onboarding', 'ux'],
});

// What lists are searched for.
const texts = [
  'We rewrote all of it in node.js within a week.',
  "L'équipe est ravie de ce produit.",
  '素晴らしい製品です。本当にありがとう。',
  'ประเทศไทยชอบสิ่งนี้มาก',
  'Amazing product! It saved our team two days a week.',
];

const accepted: Check[] = [
  {
    name: 'every field: 201, pending, as it was sent',
    async play(deployment) {
      await creates(deployment, whole, whole);
      return undefined;
    },
  },
  {
    name: 'only what is required: nothing else in the answer',
    async play(deployment) {
      await creates(deployment, sampleBody(), sampleBody());
      return undefined;
    },
  },
  {
    name: 'texts are trimmed, in NFC, with newlines; repeated tags are kept once',
    async play(deployment) {
      const body = sampleBody({ content: '  Cafe\u0301 and more\r\nof it\r ', tags: [' ux ', 'ux'] });
      const expected = sampleBody({ content: 'Caf\u00E9 and more\nof it', tags: ['ux'] });
      await creates(deployment, body, expected);
      return undefined;
    },
  },
  {
    name: 'id, status, times and organization that a client sends have no effect',
    async play(deployment) {
      const mine = { id: 'test_1', status: 'approved', createdAt: '2001-01-01T00:00:00.000Z' };
      const sent = { ...mine, updatedAt: mine.createdAt, organizationId: 'acme', unknown: {} };
      const { id, createdAt } = await creates(deployment, sampleBody(sent), sampleBody());
      if (id === mine.id || createdAt === mine.createdAt) throw new NotHeld(`${id}, ${createdAt}`);
      return undefined;
    },
  },
  {
    // What API Gateway hands on as text, and what as base64.
    name: 'other names of JSON: with a charset, and application/vnd.check+json',
    async play(deployment) {
      for (const type of ['application/json; charset=utf-8', 'application/vnd.check+json']) {
        expectCreated(deployment, await deployment.api.create(whole, { 'content-type': type }));
      }
      return undefined;
    },
  },
  {
    name: 'the longest: 10,000 characters, 20 tags of 50',
    async play(deployment) {
      const tags = Array.from({ length: 20 }, (_, i) => String(i).padStart(50, 'x'));
      const body = sampleBody({ content: `${'word '.repeat(1999)}word.`, tags });
      await creates(deployment, body, body);
      return undefined;
    },
  },
  {
    name: 'texts of every script, as they are',
    async play(deployment) {
      for (const content of texts) {
        const body = sampleBody({ content, rating: 4, tags: ['support', 'pricing'] });
        await creates(deployment, body, body);
      }
      return undefined;
    },
  },
  {
    name: 'one with a word of its own in every text, which is erased in the end',
    async play(deployment) {
      const word = randomBytes(8)
        .toString('hex')
        .replace(/\d/g, (digit) => 'ghijklmnop'.charAt(Number(digit)));
      const body = sampleBody({
        content: `Whoever searches for ${word} finds it here.`,
        author: { name: `Jane ${word}`, email: `${word}@example.com`, company: word },
        tags: [word],
      });
      const answer = await deployment.api.create(body, { 'idempotency-key': 'to-erase' });
      const testimonial = expectCreated(deployment, answer);
      deployment.toErase = { testimonial, body, word, idempotencyKey: 'to-erase' };
      return undefined;
    },
  },
];

const body = sampleBody();
const json = 'application/json';

const malformed = refusing(
  [
    { name: 'a body that is not sent as JSON: 400', part: 'Content-Type', type: 'text/plain', text: '{}' },
    { name: 'no body: 400', part: 'body', type: json, text: '' },
    { name: 'a body that is no JSON: 400', part: 'body', type: json, text: '{"content":' },
    { name: 'a body that is no JSON object: 400', part: 'body', type: json, text: '[]' },
  ].map(({ name, part, type, text }) => ({
    name,
    requests: () => [{ method: 'POST', headers: { 'content-type': type }, body: text }],
    ...{ status: 400, code: 'bad_request', details: [part] },
  })),
);

const notValid: [field: string, bodies: Record<string, unknown>[]][] = [
  [
    'content',
    [
      { content: undefined },
      ...['too short', 'x'.repeat(10_001), 7, 'with a control \u0007'].map((content) => ({ content })),
    ],
  ],
  ['author', [{ author: undefined }, { author: 'Jane' }]],
  ['author.name', ['', 'x'.repeat(201)].map((name) => ({ author: { name, email: 'jane@example.com' } }))],
  ['author.email', ['jane', `${'x'.repeat(250)}@a.bc`].map((email) => ({ author: { name: 'Jane', email } }))],
  ['author.company', [{ author: { name: 'Jane', email: 'jane@example.com', company: '' } }]],
  ['rating', [0, 6, 4.5, '5'].map((rating) => ({ rating }))],
  ['type', [{ type: 'image' }, { type: undefined }]],
  ['tags', [{ tags: 'ux' }, { tags: Array.from({ length: 21 }, (_, i) => `tag ${i}`) }]],
  ['tags.0', ['', 'a,b', 'x'.repeat(51)].map((tag) => ({ tags: [tag] }))],
];

const invalid = refusing([
  ...notValid.map(([field, bodies]) => ({
    name: `a bad ${field}: 422, which names it`,
    requests: () => bodies.map((each) => createRequest(sampleBody(each))),
    ...{ status: 422, code: 'validation_error' as const, details: [field] },
  })),
  {
    name: 'all that is wrong is named at once',
    requests: () => [createRequest({ author: { name: 'Jane' }, rating: 6 })],
    ...{ status: 422, code: 'validation_error', details: ['author.email', 'content', 'rating', 'type'] },
  },
]);

/** A create with an Idempotency-Key, of which it expects whether an earlier one is repeated. */
async function createsOnce(deployment: Deployment, key: string, isReplay: boolean): Promise<string> {
  const answer = await deployment.api.create(body, { 'idempotency-key': key });
  const { id } = expectCreated(deployment, answer);
  expectSame('Idempotent-Replayed', answer.headers.get('idempotent-replayed'), isReplay ? 'true' : null);
  return id;
}

const atOnce = 10;

const idempotent: Check[] = [
  {
    name: 'a repeated Idempotency-Key: 201 again, the same testimonial, marked as replayed',
    async play(deployment) {
      const first = await createsOnce(deployment, 'repeated', false);
      expectSame('the id', await createsOnce(deployment, '"repeated"', true), first);
      return undefined;
    },
  },
  {
    name: `${atOnce} creates with one Idempotency-Key at once make one testimonial`,
    async play(deployment) {
      const ids = await Promise.all(
        Array.from({ length: atOnce }, async () => {
          const answer = await deployment.api.create(body, { 'idempotency-key': 'at-once' });
          return expectCreated(deployment, answer).id;
        }),
      );
      expectSame('testimonials', new Set(ids).size, 1);
      return undefined;
    },
  },
  {
    name: 'an Idempotency-Key with another body: 422 idempotency_key_reused',
    async play({ api }) {
      const other = sampleBody({ content: 'Another text than before.' });
      const answer = await api.create(other, { 'idempotency-key': 'repeated' });
      const details = ['Idempotency-Key'];
      expectRefused(answer, { status: 422, code: 'idempotency_key_reused', details });
      return undefined;
    },
  },
  ...refusing([
    {
      name: 'a malformed Idempotency-Key: 400',
      requests: () =>
        ['two words', '"', 'x'.repeat(256)].map((key) => createRequest(body, { 'idempotency-key': key })),
      ...{ status: 400, code: 'bad_request', details: ['Idempotency-Key'] },
    },
  ]),
  {
    name: 'what was refused is not remembered under its Idempotency-Key',
    async play(deployment) {
      const refused = await deployment.api.create({}, { 'idempotency-key': 'refused' });
      expectSame('the first', refused.status, 422);
      await createsOnce(deployment, 'refused', false);
      return undefined;
    },
  },
];

export const creating: Check[] = [...accepted, ...malformed, ...invalid, ...idempotent];
