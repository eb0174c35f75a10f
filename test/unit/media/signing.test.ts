/** Forms are signed as the SDK of AWS signs them, and URLs as S3 verifies them. */
import { S3Client } from '@aws-sdk/client-s3';
import { createPresignedPost } from '@aws-sdk/s3-presigned-post';
import { expect, jest, test } from '@jest/globals';
import * as fc from 'fast-check';
import { formSeconds, signerOf } from '../../../functions/media/signing.ts';

const word = fc.stringMatching(/^[0-9A-Za-z/]{1,40}$/);

test('a form has the policy and the signature that the SDK gives it, for any input', async () => {
  const inputs = fc.record({
    key: fc.tuple(word, word).map((words) => words.join('-')),
    type: fc.constantFrom('image/jpeg', 'video/mp4', 'audio/mpeg'),
    bytes: fc.integer({ min: 1, max: 104_857_600 }),
    region: fc.constantFrom('us-east-1', 'eu-central-1', 'ap-southeast-2'),
    accessKeyId: fc.stringMatching(/^AKIA[0-9A-Z]{16}$/),
    secretAccessKey: fc.stringMatching(/^[0-9A-Za-z/+]{40}$/),
    sessionToken: fc.option(fc.stringMatching(/^[0-9A-Za-z/+=]{20,200}$/), { nil: undefined }),
    time: fc.date({ min: new Date('2024-01-01'), max: new Date('2040-01-01'), noInvalidDate: true }),
  });
  await fc.assert(
    fc.asyncProperty(inputs, async ({ key, type, bytes, region, time, ...credentials }) => {
      jest.useFakeTimers({ now: time, doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
      const { sessionToken, ...keys } = credentials;
      const client = new S3Client({
        region,
        credentials: { ...keys, ...(sessionToken && { sessionToken }) },
      });
      const theirs = await createPresignedPost(client, {
        Bucket: 'a-bucket',
        Key: key,
        Conditions: [['content-length-range', bytes, bytes]],
        Fields: { 'Content-Type': type },
        Expires: formSeconds,
      });
      const ours = await signerOf({ name: 'a-bucket', region, credentials, now: () => time }).signForm({
        key,
        type,
        bytes,
      });
      jest.useRealTimers();
      expect(ours.fields).toEqual(theirs.fields);
      expect(new URL(ours.url).pathname).toBe(new URL(theirs.url).pathname);
    }),
    { numRuns: 50 },
  );
});

test('the URL of a bucket on AWS names the bucket and its region', () => {
  const signer = (region: string) =>
    signerOf({
      name: 'a-bucket',
      region,
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      now: () => new Date(),
    });
  expect(signer('eu-west-1').origin).toBe('https://a-bucket.s3.eu-west-1.amazonaws.com');
  expect(signer('cn-north-1').origin).toBe('https://a-bucket.s3.cn-north-1.amazonaws.com.cn');
});
