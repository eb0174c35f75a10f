/** A testimonial, and the body that creates one: types, rules and limits. */
import * as v from 'valibot';
import { emailAddress } from './email-address.ts';
import { maskAddresses } from './mask-addresses.ts';
import { text } from './text.ts';
import { withoutInvisible } from './visible-text.ts';

export const testimonialTypes = ['text', 'video', 'audio'] as const;
export const statuses = ['pending', 'approved', 'rejected'] as const;

export type TestimonialType = (typeof testimonialTypes)[number];
export type Status = (typeof statuses)[number];

export const limits = {
  content: { min: 10, max: 10_000 },
  authorText: { min: 1, max: 200 },
  rating: { min: 1, max: 5 },
  tag: { min: 1, max: 50 },
  tags: { max: 20 },
} as const;

/**
 * Rejects anything but a plain object, with the given rule as the message. (`v.object` alone accepts arrays,
 * and has its own message.)
 */
export const plainObject = (rule: string) =>
  v.check<unknown, string>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    rule,
  );

const ratingRule = `must be a whole number from ${limits.rating.min} to ${limits.rating.max}`;

export const rating = v.pipe(
  v.number(ratingRule),
  v.integer(ratingRule),
  v.minValue(limits.rating.min, ratingRule),
  v.maxValue(limits.rating.max, ratingRule),
  v.description('Star rating; higher is better.'),
);

export const author = v.pipe(
  v.unknown(),
  plainObject('must be an object with name, email and, optionally, company and role'),
  v.object({
    name: v.pipe(text(limits.authorText), v.description("Author's full name.")),
    email: v.pipe(emailAddress, v.description("Author's e-mail address.")),
    company: v.exactOptional(v.pipe(text(limits.authorText), v.description("Author's company name."))),
    role: v.exactOptional(v.pipe(text(limits.authorText), v.description("Author's job title."))),
  }),
  v.description('Author information.'),
);

/** The rule of a tag. The OpenAPI document has it as a pattern. */
export const noComma = v.check<string, string>(
  (value) => !value.includes(','),
  'must not contain a comma, because commas separate tags',
);

const tag = v.pipe(
  v.string('must be a string'),
  v.transform(withoutInvisible),
  text(limits.tag),
  noComma,
  v.metadata({ examples: ['support'] }),
);

/** Schema of the tags of a request. */
export const tags = v.pipe(
  v.unknown(),
  v.check((value) => Array.isArray(value), 'must be an array of strings'),
  // Before any tag is parsed, because there may be millions.
  v.check(
    (value) => Array.isArray(value) && value.length <= limits.tags.max,
    `must have at most ${limits.tags.max} tags`,
  ),
  v.array(tag),
  v.transform((list) => [...new Set(list)]),
  v.description('Tags for categorization. A repeated tag is kept once.'),
  v.metadata({ maxItems: limits.tags.max }),
);

export const type = v.pipe(
  v.picklist(testimonialTypes, `must be one of ${testimonialTypes.join(', ')}`),
  v.description('The form of the feedback.'),
);

export const status = v.pipe(
  v.picklist(statuses, `must be one of ${statuses.join(', ')}`),
  v.description('Moderation status.'),
);

/** Schema of the body of a create request. Unknown fields are dropped. */
export const testimonialInput = v.object({
  content: v.pipe(text(limits.content), v.description('What the customer says.')),
  author,
  rating: v.exactOptional(rating),
  type,
  tags: v.exactOptional(tags),
});

/**
 * The origin of a testimonial that was added at the desk, such as “E-mail of March 4”. API responses omit it.
 */
export const source = text({ min: 1, max: 200 });

export type TestimonialInput = v.InferOutput<typeof testimonialInput>;

const httpsRule = 'must be a URL that begins with https://';

/** Schema of the URL of media at another service. */
export const mediaUrl = v.pipe(
  v.string('must be a string'),
  v.maxLength(2000, 'must have at most 2,000 characters'),
  v.check((value) => /^https:\/\/[^\s]+$/i.test(value) && URL.canParse(value), httpsRule),
  v.check((value) => {
    const { username, password } = new URL(value);
    return username === '' && password === '';
  }, 'must not contain a user name or password'),
  // Walls and published lists show the URL to everyone.
  v.check((value) => {
    const plain = value.replace(/%40/g, '@');
    return maskAddresses(plain) === plain;
  }, 'must not contain an e-mail address'),
  v.description('Media elsewhere, such as a video. The service shows a link and never fetches it.'),
);

/** Schema of the stored facts about a testimonial's media. The bytes are in the bucket. */
const storedMedia = v.object({
  photo: v.exactOptional(v.object({ type: v.string() })),
  recording: v.exactOptional(v.object({ type: v.string(), bytes: v.number() })),
  poster: v.exactOptional(v.object({ type: v.string() })),
  url: v.exactOptional(v.string()),
});

export type StoredMedia = v.InferOutput<typeof storedMedia>;

const timestamp = (description: string) => v.pipe(v.string(), v.isoTimestamp(), v.description(description));

/** Schema of a stored testimonial, as the API shows it. */
export const testimonial = v.object({
  id: v.pipe(
    v.string(),
    v.regex(/^test_\d+$/),
    v.description('Unique identifier: `test_` followed by digits.'),
  ),
  ...testimonialInput.entries,
  media: v.exactOptional(storedMedia),
  status,
  createdAt: timestamp('Time of creation, ISO 8601 in UTC.'),
  updatedAt: timestamp('Time of the last update, ISO 8601 in UTC.'),
});

/** A stored testimonial. `tags` is absent if the create request had none. */
export type Testimonial = v.InferOutput<typeof testimonial>;

/** The path of a field of a testimonial, such as `author.name`. */
export type FieldPath<Value = Testimonial> = {
  [Name in keyof Value & string]-?: NonNullable<Value[Name]> extends
    | readonly unknown[]
    | string
    | number
    | StoredMedia
    ? Name
    : `${Name}.${FieldPath<NonNullable<Value[Name]>>}`;
}[keyof Value & string];

export interface FieldUse {
  /**
   * The form in which everyone may see the field: as it is, with e-mail addresses masked, or not at all.
   * Masked fields are texts that people wrote.
   */
  published: 'as is' | 'masked' | 'never';
  /** True if the field may be too long for copies in the secondary indexes. */
  isLong?: true;
}

/** The use of each field. A new field is an entry of its schema and a line here. */
export const fields = {
  content: { published: 'masked', isLong: true },
  'author.name': { published: 'masked' },
  'author.email': { published: 'never' },
  'author.company': { published: 'masked' },
  'author.role': { published: 'masked' },
  rating: { published: 'as is' },
  type: { published: 'as is' },
  tags: { published: 'masked' },
  media: { published: 'as is' },
  id: { published: 'never' },
  status: { published: 'as is' },
  createdAt: { published: 'as is' },
  updatedAt: { published: 'never' },
} as const satisfies Record<FieldPath, FieldUse>;
