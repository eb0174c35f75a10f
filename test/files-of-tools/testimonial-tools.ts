/** Testimonials and reviews, as the services that collect them export them. */
import { csv, nameOf, reviews, saidOf, type ToolFile } from './tool-file.ts';

const numbers = ['ZERO', 'ONE', 'TWO', 'THREE', 'FOUR', 'FIVE'];
const ordinal = (day: number) => `${day}${{ 1: 'st', 2: 'nd', 3: 'rd' }[day % 10] ?? 'th'}`;

/** `Mar 4th, 2024` */
export function writtenOut(time: string): string {
  const date = new Date(`${time}Z`);
  const month = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' }).format(date);
  return `${month} ${ordinal(date.getUTCDate())}, ${date.getUTCFullYear()}`;
}

/** The reviews of a place, as scrapers of its page write them. */
export function googleMaps(): ToolFile {
  const ages = [
    ['3 days ago', 3],
    ['a week ago', 7],
    ['Edited 2 weeks ago', 14],
  ] as const;
  return {
    ...{
      tool: 'Google Maps',
      file: 'google-maps.csv',
      typed: 'y',
      told: [/Not used: place_id/, 'unknown@example.com'],
    },
    bytes: csv(
      reviews.map((each, i) => ({
        place_id: 'ChIJ',
        reviewer_name: nameOf(each),
        rating: numbers[each.rating] ?? '',
        review_text: each.text,
        date: ages[i]?.[0] ?? '',
      })),
    ),
    said: reviews.map((each, i) => ({
      ...saidOf(each, 'email', 'company', 'tags', 'status', 'time'),
      daysAgo: ages[i]?.[1] ?? 0,
    })),
  };
}

/** The reviews of a business, as Google hands them to its owner. */
export function googleTakeout(): ToolFile {
  const its = reviews.map((each, i) => ({
    reviewer: { displayName: nameOf(each), isAnonymous: false },
    starRating: numbers[each.rating],
    comment: each.text,
    createTime: `${each.time}:00.000456Z`,
    updateTime: `${each.time}:30.123456Z`,
    ...(i === 0 && { reviewReply: { comment: 'Thank you!', updateTime: `${each.time}:59Z` } }),
    name: `accounts/1/locations/2/reviews/${i}`,
  }));
  return {
    ...{
      tool: 'Google Takeout',
      file: 'reviews.json',
      typed: 'y',
      told: [/reviewReply\.comment \(“Thank you!”\)/],
    },
    bytes: JSON.stringify({ reviews: its }, null, 2),
    said: reviews.map((each) => saidOf(each, 'email', 'company', 'tags', 'status')),
  };
}

export function senja(): ToolFile {
  return {
    ...{ tool: 'Senja', file: 'senja.csv', typed: 'y', told: [/Not used: Avatar/] },
    bytes: csv(
      reviews.map((each) => ({
        Type: 'text',
        'Customer Name': nameOf(each),
        'Customer Email': each.email,
        'Customer Company': each.company,
        Avatar: 'https://images.example.com/1.png',
        Rating: String(each.rating),
        Text: each.text,
        Approved: each.status === 'approved' ? 'TRUE' : 'FALSE',
        Tags: each.tags.join(';'),
        Date: `${each.time}:00.000Z`,
      })),
    ),
    said: reviews.map((each) => ({
      ...saidOf(each),
      status: each.status === 'approved' ? 'approved' : 'pending',
    })),
  };
}

export function testimonialTo(): ToolFile {
  return {
    ...{
      tool: 'Testimonial.to',
      file: 'testimonial-to.csv',
      typed: 'y',
      told: [],
    },
    bytes: csv(
      reviews.map((each) => ({
        name: nameOf(each),
        email: each.email,
        title: each.company,
        testimonial: each.text,
        rating: `${each.rating}/5`,
        'submitted at': writtenOut(each.time),
        approved: each.status === 'approved' ? 'yes' : 'no',
      })),
    ),
    said: reviews.map((each) => ({
      ...saidOf(each, 'tags'),
      time: each.time.slice(0, 10),
      status: each.status === 'approved' ? 'approved' : 'pending',
    })),
  };
}
