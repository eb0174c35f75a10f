/** `POST /v1/testimonials`. */

import { randomInt } from 'node:crypto';
import * as v from 'valibot';
import { IdempotencyKeyReused } from '../domain/outcomes.ts';
import { makeRandomId } from '../domain/page.ts';
import { testimonialInput } from '../domain/testimonial.ts';
import { costOfUpload } from '../fair-use/prices.ts';
import { ApiError } from '../http/api-error.ts';
import { json } from '../http/api-event.ts';
import { type ApiDependencies, type ApiLambdaHandler, apiHandler, byRoute } from '../http/api-handler.ts';
import { jsonBody } from '../http/json-body.ts';
import { secretTokenOperation } from '../http/operation.ts';
import { validateBody } from '../http/validate.ts';
import type { Bucket } from '../media/bucket.ts';
import { mediaKinds } from '../media/kinds.ts';
import { withMediaView } from '../media/media-view.ts';
import { uploadClaimOf } from '../media/upload-claim.ts';
import {
  type InputWithMedia,
  inputWithMedia,
  type UploadRequest,
  uploadRequest,
} from '../media/upload-request.ts';
import { keyOfApiUpload, UploadRefused } from '../media/uploads.ts';
import type { OpenCreates } from '../testimonials/creates.ts';

export const createTestimonialOperation = secretTokenOperation(
  'POST',
  '/v1/testimonials',
  'testimonials:write',
);

/** Signs the form of an upload. */
export const createUploadOperation = secretTokenOperation('POST', '/v1/uploads', 'testimonials:write');

interface CreateHandlerDependencies extends ApiDependencies {
  creates: OpenCreates;
  /** Absent if the deployment has no media. */
  bucket?: Bucket | undefined;
}

/** Builds the handler of both operations. */
export function createHandler(deps: CreateHandlerDependencies): ApiLambdaHandler {
  const create = [createTestimonialOperation, testimonialHandler(deps)] as const;
  const { bucket } = deps;
  return bucket ? byRoute(create, [createUploadOperation, uploadHandler(deps, bucket)]) : byRoute(create);
}

/** Charges for the upload, then signs its form. */
function uploadHandler(deps: ApiDependencies, bucket: Bucket): ApiLambdaHandler {
  const readInput = [jsonBody<UploadRequest>(), validateBody(uploadRequest, 'upload')];
  return apiHandler<UploadRequest>(createUploadOperation, deps, readInput, async (event) => {
    const { kind, type, bytes } = event.input;
    await event.payForMedia(costOfUpload(bytes));
    event.logged = { kind, bytes };
    const upload = makeRandomId(randomInt);
    const key = keyOfApiUpload(event.caller.organization, upload, kind);
    return json(201, { upload, ...(await bucket.signForm({ key, type, bytes })) });
  });
}

function testimonialHandler(deps: CreateHandlerDependencies): ApiLambdaHandler {
  return apiHandler<InputWithMedia>(
    createTestimonialOperation,
    deps,
    [
      jsonBody(),
      // A malformed key is a 400, which comes before the 422 of an invalid body.
      { before: ({ event }) => void readIdempotencyKey(event.headers) },
      validateBody<InputWithMedia>(deps.bucket ? inputWithMedia : testimonialInput),
    ],
    async (event, signal) => {
      const { caller, headers, payFor } = event;
      const { organization } = caller;
      const { media, ...input } = event.input;
      const ownKey = readIdempotencyKey(headers);
      const isClaimed = media !== undefined && Object.keys(media).length > 0;
      const claimed =
        deps.bucket && isClaimed ? { media: claimIn(deps.bucket, organization, event.input) } : undefined;
      const uploadKind = claimed && mediaKinds.find((kind) => media?.[kind] !== undefined);
      // An upload belongs to one testimonial. A client's key cannot contain a space.
      const idempotencyKey = ownKey ?? (uploadKind && `upload ${media?.[uploadKind]}`);
      const { testimonial, replayed } = await deps
        .creates(organization, { signal, payFor })
        .create(input, { ...(idempotencyKey !== undefined && { idempotencyKey }), ...claimed })
        .catch((error: unknown) => {
          if (ownKey === undefined && uploadKind && error instanceof IdempotencyKeyReused)
            throw new UploadRefused(uploadKind, 'used');
          throw error;
        })
        .catch(rethrowRefused);
      return json(
        201,
        withMediaView(organization, testimonial),
        replayed ? { 'idempotent-replayed': 'true' } : {},
      );
    },
  );
}

function claimIn(bucket: Bucket, organization: string, { media = {}, type }: InputWithMedia) {
  const uploads = Object.fromEntries(
    mediaKinds.flatMap((kind) => {
      const upload = media[kind];
      return upload === undefined ? [] : [[kind, keyOfApiUpload(organization, upload, kind)]];
    }),
  );
  return uploadClaimOf(bucket, { organization, uploads, url: media.url, type });
}

function rethrowRefused(error: unknown): never {
  if (!(error instanceof UploadRefused)) throw error;
  const { kind, message, reason } = error;
  const details = { [reason === 'other type' ? 'type' : `media.${kind}`]: message };
  throw new ApiError('validation_error', 'The testimonial is not valid.', { details });
}

const rule = 'must have 1 to 255 visible ASCII characters';
const quoted = /^"(?:[!#-[\]-~]|\\["\\])*"$/;
const bare = /^[!#-~][!-~]*$/;

/**
 * Schema of the Idempotency-Key header (draft-ietf-httpapi-idempotency-key-header). The quoted form, a
 * Structured Fields string (RFC 8941), and the bare form mean the same key.
 */
export const idempotencyKey = v.pipe(
  v.string(),
  v.trim(),
  v.check((value) => quoted.test(value) || bare.test(value), rule),
  v.transform((value) => (value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value)),
  v.minLength(1, rule),
  v.maxLength(255, rule),
  v.metadata({ minLength: 1, maxLength: 255, pattern: '^[!-~]+$' }),
);

/**
 * Returns the idempotency key of a request, or undefined if it has none.
 * @throws {ApiError} bad_request if it is malformed
 */
export function readIdempotencyKey(headers: Record<string, string | undefined>): string | undefined {
  const header = headers['idempotency-key'];
  if (header === undefined) return undefined;
  const result = v.safeParse(idempotencyKey, header);
  if (result.success) return result.output;
  throw new ApiError('bad_request', 'The request is malformed.', { details: { 'Idempotency-Key': rule } });
}
