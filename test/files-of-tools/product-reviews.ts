/** Reviews of products, apps and places, as shops and services export them. */
import { csv, nameOf, plainTime, type Review, reviews, type ToolFile, toolFile } from './tool-file.ts';

const title = 'In a word';
const titled = ({ text }: Review) => ({ content: `${title}\n\n${text}` });
const thanks = 'Thank you so much for these kind words, see you soon!';
const onlyReview = ['company', 'tags', 'status'] as const;

/** Writes entities, as tools do that export HTML. */
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('’', '&#39;').replaceAll('\n', '<br>');

const yotpo = toolFile('Yotpo, whose merchants comment on reviews', 'yotpo-reviews.csv', {
  told: [
    'HTML tags are removed from 3 testimonials',
    /createdAt is read from Review Creation Date/,
    /Not used: Review ID .*Product Title.*Comment content/,
  ],
  bytes: csv((each, i) => ({
    'Review ID': String(700 + i),
    'Review Status': { approved: 'Published', pending: 'Unpublished', rejected: 'Rejected' }[each.status],
    'Review Score': String(each.rating),
    'Review Title': title,
    'Review Content': `<p>${escaped(each.text)}</p>`,
    'Review Creation Date': `${each.time}:00Z`,
    'Reviewer Display Name': nameOf(each),
    'Reviewer Email': each.email,
    'Product Title': 'Mug',
    'Comment content': thanks,
    'Comment public': 'true',
    'Comment created at': '2024-05-05T10:00:00Z',
  })),
  without: ['company', 'tags'],
  // The apostrophe was a plain one.
  says: ({ text }) => ({ content: `${title}\n\n${text.replaceAll('’', "'")}` }),
});

const judgeMe = toolFile('Judge.me with curated reviews', 'reviews-export.csv', {
  told: [/Not used: product_handle/, /“<b>Hidden<\/b>/],
  bytes: csv((each) => ({
    title,
    body: each.text,
    rating: String(each.rating),
    review_date: `${plainTime(each)} UTC`,
    curated: { approved: 'ok', pending: 'not-yet', rejected: 'spam' }[each.status],
    reviewer_name: nameOf(each),
    reviewer_email: each.email,
    product_handle: 'mug',
    reply: '<b>Hidden</b> from walls: we wrote to you about the price.',
    picture_urls: '',
    ip_address: '203.0.113.7',
    location: 'Berlin',
  })),
  without: ['company', 'tags'],
  says: titled,
});

const trustpilot = toolFile('Trustpilot for businesses', 'trustpilot.csv', {
  told: [/Review Status \(.*\) is not used for status/, /Not used: .*Company Reply Content/],
  bytes: csv((each, i) => ({
    'Review ID': `60${i}`,
    'Review Created (UTC)': plainTime(each),
    'Review Consumer User Name': nameOf(each),
    'Review Consumer User ID': `a1b2c3d4e${i}`,
    'Review Title': title,
    'Review Content': each.text,
    'Review Stars': String(each.rating),
    'Source Of Review': i === 0 ? 'Organic' : 'Invitation',
    'Company Reply Date (UTC)': '2024-05-05 10:00:00',
    'Company Reply Content': thanks,
    'Consumer Email': each.email,
    'Review Status': i === 0 ? 'Active' : 'Reported',
  })),
  without: onlyReview,
  says: titled,
});

const bazaarvoice = toolFile('Bazaarvoice', 'bazaarvoice.json', {
  told: [/Sheet Results is imported/, /unknown@example\.com/],
  bytes: JSON.stringify({
    TotalResults: 3,
    Results: reviews.map((each, i) => ({
      Id: String(i),
      UserNickname: nameOf(each),
      Rating: each.rating,
      RatingRange: 5,
      Title: null,
      ReviewText: each.text,
      SubmissionTime: `${each.time}:00.000+00:00`,
      ModerationStatus: each.status.toUpperCase(),
      IsRecommended: each.rating > 3,
      ClientResponses: [{ Department: 'Support', Response: thanks, Date: '2024-05-05T00:00:00' }],
    })),
    Includes: { Products: { mug: { Name: 'Mug' } } },
  }),
  without: ['email', 'company', 'tags'],
});

const places = toolFile('Places API', 'places.json', {
  told: [
    /author\.name: guessed from the values of authorAttribution\.displayName/,
    /Not used: .*originalText/,
  ],
  bytes: JSON.stringify({
    reviews: reviews.map((each, i) => ({
      name: `places/ChIJ_${i}/reviews/Chd_${i}`,
      relativePublishTimeDescription: 'a month ago',
      rating: each.rating,
      text: { text: each.text, languageCode: 'en' },
      originalText: { text: i === 0 ? 'C’est super, deux jours gagnés.' : each.text, languageCode: 'fr' },
      authorAttribution: { displayName: nameOf(each), uri: `https://maps.example/${i}` },
      publishTime: `${each.time}:00Z`,
    })),
  }),
  without: ['email', ...onlyReview],
});

/** Reviews of Google Play have neither a name nor an address. */
const playConsole = toolFile('Google Play Console', 'reviews_com.example.app_202403.csv', {
  told: [/No column contains author\.name/, /createdAt is read from Review Submit Date and Time/],
  bytes: Buffer.from(
    `\uFEFF${csv((each, i) => ({
      'Package Name': 'com.example.app',
      'App Version Code': '42',
      'App Version Name': '4.2.0',
      'Reviewer Language': 'en',
      Device: 'oriole',
      'Review Submit Date and Time': `${each.time}:00Z`,
      'Review Submit Millis Since Epoch': String(Date.parse(`${each.time}Z`)),
      'Review Last Update Date and Time': '2024-05-06T07:08:09Z',
      'Review Last Update Millis Since Epoch': '1714979289000',
      'Star Rating': String(each.rating),
      'Review Title': '',
      'Review Text': each.text,
      'Developer Reply Date and Time': i === 2 ? '2024-05-07T07:08:09Z' : '',
      'Developer Reply Millis Since Epoch': i === 2 ? '1715065689000' : '',
      'Developer Reply Text': i === 2 ? 'We are sorry to read this. Please write to us.' : '',
      'Review Link': 'https://play.example/console/1',
    }))}`,
    'utf16le',
  ),
  without: ['email', ...onlyReview],
  says: () => ({ name: 'Anonymous' }),
});

const appStore = toolFile('App Store Connect', 'customer-reviews.json', {
  told: [/unknown@example\.com/, /Not used: .*territory/],
  bytes: JSON.stringify({
    data: reviews.map((each, i) => ({
      type: 'customerReviews',
      id: `0000-${i}`,
      attributes: {
        rating: each.rating,
        title,
        body: each.text,
        reviewerNickname: nameOf(each),
        createdDate: `${each.time}:00-00:00`,
        territory: 'DEU',
      },
      links: { self: `https://api.example/v1/customerReviews/${i}` },
    })),
    links: { self: 'https://api.example/v1/apps/1/customerReviews' },
  }),
  without: ['email', ...onlyReview],
  says: titled,
});

export const productReviews: ToolFile[] = [
  yotpo,
  judgeMe,
  trustpilot,
  bazaarvoice,
  places,
  playConsole,
  appStore,
];
