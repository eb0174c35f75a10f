/** The JSON Schemas of the OpenAPI document, generated from the schemas of the contracts. */

import {
  type ConversionConfig,
  type JsonSchema,
  toJsonSchema,
  toJsonSchemaDefs,
} from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { author, noComma, status, tags, type } from '../../functions/domain/testimonial.ts';
import { hasWord } from '../../functions/domain/testimonial-filter.ts';
import { without } from '../../functions/domain/without.ts';
import { errorBody, gatewayBody } from '../../functions/http/contract.ts';
import { anyListBody } from '../../functions/list-testimonials/contract.ts';
import {
  listBody,
  listedTestimonial,
  pagination,
  publishedAuthor,
  publishedListBody,
  publishedTestimonial,
} from '../../functions/list-testimonials/list-body.ts';
import { parameters } from '../../functions/list-testimonials/parameters.ts';
import { createdUpload, mediaInResponse, shownTestimonial } from '../../functions/media/contract.ts';
import { claimedMedia, inputWithMedia, uploadRequest } from '../../functions/media/upload-request.ts';
import { documentedChange } from '../../functions/moderate-testimonials/change-request.ts';
import { rejectedCharacters, visiblePattern } from './visible-pattern.ts';

/** The use of a schema. */
export type SchemaUse = 'request' | 'response';

const words = { TestimonialType: type, TestimonialStatus: status };

const namedParameters = {
  StatusFilter: parameters.status,
  TypeFilter: parameters.type,
  TestimonialSort: parameters.sort,
  SortOrder: parameters.order,
};

// Schemas that the document refers to by name.
const named: Record<SchemaUse, Record<string, v.GenericSchema>> = {
  request: {
    ...words,
    TestimonialInput: inputWithMedia,
    MediaInput: claimedMedia,
    MediaKind: uploadRequest.entries.kind,
    UploadInput: uploadRequest,
    AuthorInput: author,
    TagsInput: tags,
    TestimonialChange: documentedChange,
    StatusFilter: namedParameters.StatusFilter.schema,
    TypeFilter: namedParameters.TypeFilter.schema,
    TestimonialSort: namedParameters.TestimonialSort.schema,
    SortOrder: namedParameters.SortOrder.schema,
  },
  response: {
    ...words,
    Testimonial: shownTestimonial,
    Media: mediaInResponse,
    Upload: createdUpload,
    Author: author,
    AnyTestimonialList: anyListBody,
    TestimonialList: listBody,
    ListedTestimonial: listedTestimonial,
    PublishedTestimonialList: publishedListBody,
    PublishedTestimonial: publishedTestimonial,
    PublishedAuthor: publishedAuthor,
    Pagination: pagination,
    ErrorBody: errorBody,
    GatewayError: gatewayBody,
  },
};

/** Converts a schema, with references to the named ones. */
export function schemaOf(schema: v.GenericSchema, use: SchemaUse): JsonSchema {
  const config = { ...conversionOf(use), definitions: named[use] };
  const rest = without(toJsonSchema(schema, config), '$schema', '$defs');
  return rest;
}

/**
 * Returns the named schemas that a part of the document needs.
 * @param options `media` is false for a deployment without photos and recordings
 */
export function schemasFor(part: unknown, { media }: { media: boolean }): Record<string, JsonSchema> {
  const every: Record<string, JsonSchema> = {
    ...toJsonSchemaDefs(named.request, conversionOf('request')),
    ...toJsonSchemaDefs(named.response, conversionOf('response')),
  };
  const all = media ? every : withoutMedia(every);
  // Many programs ignore keywords next to a reference.
  for (const [name, { default: value }] of Object.entries(namedParameters)) {
    all[name] = { ...all[name], ...(value !== undefined && { default: value }) };
  }
  const needed = new Set<string>();
  const collect = (value: unknown) => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (needed.has(name)) continue;
      needed.add(name);
      collect(all[name]);
    }
  };
  collect(part);
  return Object.fromEntries(Object.entries(all).filter(([name]) => needed.has(name)));
}

function withoutMedia(all: Record<string, JsonSchema>): Record<string, JsonSchema> {
  const entries = Object.entries(all).map(([name, schema]) => {
    const { properties } = schema;
    return [name, properties ? { ...schema, properties: without(properties, 'media') } : schema];
  });
  return Object.fromEntries(entries);
}

// The patterns of rules.
const patterns = new Map<unknown, string>([
  [noComma, visiblePattern({ without: `,${rejectedCharacters}` })],
  // An empty search counts as absent. Only the API can recognize words beyond ASCII and General Punctuation.
  [hasWord, `^$|${visiblePattern({ besides: '!-/:-@\\[-`{-~\\u2000-\\u206F' })}`],
]);

function conversionOf(use: SchemaUse): ConversionConfig {
  return {
    target: 'draft-2020-12',
    typeMode: 'output',
    // Descriptions cover rules that JSON Schema lacks.
    errorMode: 'ignore',
    overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
    overrideSchema: ({ jsonSchema: { required, ...rest } }) => (required?.length === 0 ? rest : undefined),
    overrideAction: ({ valibotAction, jsonSchema }) => {
      const pattern = patterns.get(valibotAction);
      if (pattern !== undefined && use === 'request') return { ...jsonSchema, pattern };
      // The contracts' metadata consists of JSON Schema keywords.
      const { metadata } = valibotAction as { metadata?: JsonSchema };
      if (valibotAction.type !== 'metadata' || !metadata) return undefined;
      // The schema of a parameter describes the parsed type, not its text.
      if (metadata.type) return metadata;
      if (metadata.anyOf) return withAlternatives(jsonSchema);
      if (use === 'response') return withoutRules(jsonSchema);
      // A text that must have characters must have a visible one.
      return metadata.minLength === undefined
        ? undefined
        : { pattern: visiblePattern({ without: rejectedCharacters }), ...jsonSchema };
    },
  };
}

/** Removes the rules of texts, which apply to new texts, because older texts may break them. */
function withoutRules(text: JsonSchema): JsonSchema {
  const { minLength, maxLength, pattern, format, ...rest } = text;
  return rest;
}

/**
 * Copies the fields of an object into each of its alternatives. From an alternative with only `required`,
 * generators make a type that allows anything.
 */
function withAlternatives({ anyOf = [], ...object }: JsonSchema): JsonSchema {
  return { anyOf: anyOf.map((each) => ({ ...object, ...Object(each) })) };
}
