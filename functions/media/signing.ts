/**
 * Signs calls to a bucket, forms that browsers post to it, and URLs that browsers read (Signature Version 4).
 */
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';

/** The bucket's name, endpoint and credentials. */
export interface SigningOptions {
  name: string;
  region: string;
  /** The endpoint of another S3 service, whose URLs have the bucket in their path. */
  endpoint?: string | undefined;
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string | undefined };
  now: () => Date;
}

/** A form that a browser posts as multipart/form-data: first the fields in this order, then `file`. */
export interface SignedForm {
  url: string;
  fields: Record<string, string>;
}

/** The method of a read: the whole object, or only its headers. */
export type ReadMethod = 'GET' | 'HEAD';

/** The time for which a signed form and a signed URL work, in seconds. */
export const formSeconds = 30 * 60;
const urlSeconds = 5 * 60;

// Calls of this service have no body.
const unsignedBody = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };

export type Signer = ReturnType<typeof signerOf>;

export function signerOf({ name, region, endpoint, credentials, now }: SigningOptions) {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const keys = { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
  const options = { credentials: keys, region, service: 's3', sha256: Sha256, uriEscapePath: false };
  const signer = new SignatureV4(options);
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const root = endpoint ? `${endpoint}/${name}` : `https://${name}.s3.${region}.${suffix}`;
  const requestFor = (method: string, path: string, headers: Record<string, string>) => {
    const { protocol, hostname, host, pathname, searchParams } = new URL(`${root}/${path}`);
    const query = Object.fromEntries(searchParams);
    return {
      method,
      protocol,
      hostname,
      path: pathname,
      query,
      headers: { ...headers, host, ...unsignedBody },
    };
  };
  return {
    name,
    origin: new URL(root).origin,

    /** @param path the key of an object, and a query */
    async signCall(method: string, path: string, headers: Record<string, string>): Promise<Request> {
      const signed = await signer.sign(requestFor(method, path, headers), { signingDate: now() });
      return new Request(`${root}/${path}`, { method, headers: signed.headers });
    },

    /** Signs a URL that reads an object with this method. It works for five minutes. */
    async signUrl(key: string, method: ReadMethod): Promise<string> {
      const options = { expiresIn: urlSeconds, signingDate: now() };
      const { query = {} } = await signer.presign(requestFor(method, key, {}), options);
      return `${root}/${key}?${new URLSearchParams(query as Record<string, string>)}`; // each has one value
    },

    /**
     * Signs a form that stores exactly this many bytes under this key. It works for half an hour
     * (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTConstructPolicy.html).
     */
    async signForm({ key, type, bytes }: { key: string; type: string; bytes: number }): Promise<SignedForm> {
      const time = now();
      const date = time.toISOString().replace(/[:-]|\.\d{3}/g, '');
      const fields = {
        'Content-Type': type,
        bucket: name,
        'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
        'X-Amz-Credential': `${accessKeyId}/${date.slice(0, 8)}/${region}/s3/aws4_request`,
        'X-Amz-Date': date,
        ...(sessionToken && { 'X-Amz-Security-Token': sessionToken }),
      };
      const conditions = [
        ['content-length-range', bytes, bytes],
        ...Object.entries({ ...fields, key }).map(([field, value]) => ({ [field]: value })),
      ];
      const expiration = new Date(time.getTime() + formSeconds * 1000).toISOString();
      const policy = JSON.stringify({ expiration: expiration.replace(/\.\d{3}/, ''), conditions });
      const Policy = Buffer.from(policy).toString('base64');
      const signature = await signer.sign(Policy, { signingDate: time });
      return { url: `${root}/`, fields: { ...fields, key, Policy, 'X-Amz-Signature': signature } };
    },
  };
}
