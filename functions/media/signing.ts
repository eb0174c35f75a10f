/** Signs calls of a bucket, forms that browsers post to it, and URLs that they read (Signature Version 4). */
import { createHmac } from 'node:crypto';
import { AwsClient } from 'aws4fetch';

/** The bucket's name, and how to reach and sign for it. */
export interface SigningOptions {
  name: string;
  region: string;
  /** The endpoint of another S3, whose URLs have the bucket in their path. */
  endpoint?: string | undefined;
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string | undefined };
  now: () => Date;
}

/** A form that a browser posts as multipart/form-data: the fields in their order, then `file`. */
export interface SignedForm {
  url: string;
  fields: Record<string, string>;
}

/** How long a signed form and a signed URL work, in seconds. */
export const formSeconds = 30 * 60;
export const urlSeconds = 5 * 60;

export type Signer = ReturnType<typeof signerOf>;

export function signerOf({ name, region, endpoint, credentials, now }: SigningOptions) {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const client = new AwsClient({
    ...{ accessKeyId, secretAccessKey, service: 's3', region },
    ...(sessionToken && { sessionToken }),
  });
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const root = endpoint ? `${endpoint}/${name}` : `https://${name}.s3.${region}.${suffix}`;
  const time = () =>
    now()
      .toISOString()
      .replace(/[:-]|\.\d{3}/g, '');
  return {
    name,
    origin: new URL(root).origin,

    signCall(method: string, key: string, headers: Record<string, string>): Promise<Request> {
      return client.sign(`${root}/${key}`, { method, headers, aws: { datetime: time() } });
    },

    /** Signs a URL that reads an object for five minutes. */
    async signUrl(key: string): Promise<string> {
      const url = `${root}/${key}?X-Amz-Expires=${urlSeconds}`;
      return (await client.sign(url, { aws: { signQuery: true, datetime: time() } })).url;
    },

    /**
     * Signs a form that stores exactly this many bytes at this key, for half an hour
     * (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTConstructPolicy.html).
     */
    signForm({ key, type, bytes }: { key: string; type: string; bytes: number }): SignedForm {
      const date = time();
      const scope = `${date.slice(0, 8)}/${region}/s3/aws4_request`;
      const fields = {
        'Content-Type': type,
        bucket: name,
        'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
        'X-Amz-Credential': `${accessKeyId}/${scope}`,
        'X-Amz-Date': date,
        ...(sessionToken && { 'X-Amz-Security-Token': sessionToken }),
      };
      const conditions = [
        ['content-length-range', bytes, bytes],
        ...Object.entries({ ...fields, key }).map(([field, value]) => ({ [field]: value })),
      ];
      const expiration = new Date(now().getTime() + formSeconds * 1000).toISOString();
      const policy = JSON.stringify({ expiration: expiration.replace(/\.\d{3}/, ''), conditions });
      const Policy = Buffer.from(policy).toString('base64');
      const signingKey = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
      const signature = hmac(signingKey, Policy).toString('hex');
      return { url: `${root}/`, fields: { ...fields, key, Policy, 'X-Amz-Signature': signature } };
    },
  };
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
