/** Testimonials and reviews, as the services that collect them export them. */
import { approvedOrNot, csv, dayOf, nameOf, reviews, type ToolFile, toolFile } from './tool-file.ts';

const numbers = ['ZERO', 'ONE', 'TWO', 'THREE', 'FOUR', 'FIVE'];
const ordinal = (day: number) => `${day}${{ 1: 'st', 2: 'nd', 3: 'rd' }[day % 10] ?? 'th'}`;

/** `Mar 4th, 2024` */
function writtenOut(time: string): string {
  const date = new Date(`${time}Z`);
  const month = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' }).format(date);
  return `${month} ${ordinal(date.getUTCDate())}, ${date.getUTCFullYear()}`;
}

const ages = [
  ['3 days ago', 3],
  ['a week ago', 7],
  ['Edited 2 weeks ago', 14],
] as const;

/** Reviews on Google Maps, as scrapers write them. */
export const googleMaps = toolFile('Google Maps', 'google-maps.csv', {
  told: [/Not used: place_id/, 'unknown@example.com'],
  bytes: csv((each, i) => ({
    place_id: 'ChIJ',
    reviewer_name: nameOf(each),
    rating: numbers[each.rating] ?? '',
    review_text: each.text,
    date: ages[i]?.[0] ?? '',
  })),
  without: ['email', 'company', 'tags', 'status', 'time'],
  says: (_, i) => ({ daysAgo: ages[i]?.[1] ?? 0 }),
});

const handedOut = reviews.map((each, i) => ({
  reviewer: { displayName: nameOf(each), isAnonymous: false },
  starRating: numbers[each.rating],
  comment: each.text,
  createTime: `${each.time}:00.000456Z`,
  updateTime: `${each.time}:30.123456Z`,
  ...(i === 0 && { reviewReply: { comment: 'Thank you!', updateTime: `${each.time}:59Z` } }),
  name: `accounts/1/locations/2/reviews/${i}`,
}));

/** The reviews of a business, as Google hands them to its owner. */
export const googleTakeout = toolFile('Google Takeout', 'reviews.json', {
  told: [/reviewReply\.comment \(“Thank you!”\)/],
  bytes: JSON.stringify({ reviews: handedOut }, null, 2),
  without: ['email', 'company', 'tags', 'status'],
});

const moderated = { approved: 'LIVE', pending: 'PENDING', rejected: 'DISAPPROVED' };

/** Reviews as GraphQL returns them, with their moderation. */
const googleApi = toolFile('an API of Google', 'reviews-api.json', {
  told: [/Sheet data\.location\.reviews\.edges is imported. Ignored: data\.location\.photos/],
  bytes: JSON.stringify({
    data: {
      location: {
        title: 'Café Amado',
        photos: [
          { name: 'front', url: 'https://images.example.com/1.jpg', description: 'The café from the street' },
        ],
        reviews: {
          edges: reviews.map((each, i) => ({
            cursor: `c${i}`,
            node: {
              reviewer: { displayName: nameOf(each), contact: { emailAddress: each.email } },
              starRating: numbers[each.rating],
              comment: each.text,
              createTime: `${each.time}:00Z`,
              moderationStatus: moderated[each.status],
            },
          })),
        },
      },
    },
  }),
  without: ['company', 'tags'],
});

const best = 'What do you like best about Mug?';
const dislike = 'What do you dislike about Mug?';
const problems = 'What problems is Mug solving and how is that benefiting you?';
const asked = (text: string) => [
  [best, text],
  [dislike, 'Nothing yet.'],
  [problems, 'We know where our time goes.'],
];

/** Reviews of software answer several questions, which stay above the answers. */
const softwareReviews = toolFile('G2', 'g2-reviews.csv', {
  told: [/Ratings become stars from 1 to 5: “4.5” becomes 5/, /Not used: Review ID.*Ease of Use Rating/],
  bytes: csv((each, i) => ({
    'Review ID': String(8_000_000 + i),
    'Product Name': 'Mug',
    Title: `“A mug, number ${i}”`,
    ...Object.fromEntries(asked(each.text)),
    'Star Rating': each.rating === 5 ? '4.5' : String(each.rating),
    'Ease of Use Rating': String(6 - each.rating),
    'Reviewer Name': nameOf(each),
    'Reviewer Email': each.email,
    Company: each.company,
    'Company Segment': 'Small-Business (50 or fewer emp.)',
    'Moderation Status': { approved: 'Approved', pending: 'Pending', rejected: 'Rejected' }[each.status],
    'Submitted At': `${each.time.replace('T', ' ')}:00 UTC`,
    'Published At': '',
  })),
  without: ['tags'],
  says: ({ text }, i) => ({
    content: [`“A mug, number ${i}”`, ...asked(text).map((both) => both.join('\n'))].join('\n\n'),
  }),
});

export const testimonialTools: ToolFile[] = [
  googleApi,
  softwareReviews,
  toolFile('Senja', 'senja.csv', {
    told: [/Not used: Avatar/],
    bytes: csv((each) => ({
      Type: 'text',
      'Customer Name': nameOf(each),
      'Customer Email': each.email,
      'Customer Company': each.company,
      'Customer Tagline': each.role,
      Avatar: 'https://images.example.com/1.png',
      Rating: String(each.rating),
      Text: each.text,
      Approved: each.status === 'approved' ? 'TRUE' : 'FALSE',
      Tags: each.tags.join(';'),
      Date: `${each.time}:00.000Z`,
    })),
    says: (each) => ({ role: each.role, status: approvedOrNot(each) }),
  }),
  toolFile('Testimonial.to', 'testimonial-to.csv', {
    bytes: csv((each) => ({
      name: nameOf(each),
      email: each.email,
      title: each.role,
      testimonial: each.text,
      rating: `${each.rating}/5`,
      'submitted at': writtenOut(each.time),
      approved: each.status === 'approved' ? 'yes' : 'no',
    })),
    without: ['company', 'tags'],
    says: (each) => ({ role: each.role, time: dayOf(each), status: approvedOrNot(each) }),
  }),
];
