/** Reviews and testimonials as services, shops and people keep them: the files are in the folder files. */
import { approvedOrNot, dayOf, type Review, reviewsIn, textOf, toolFile } from './tool-file.ts';
import { workbook } from './workbook.ts';

const onlyReview = ['company', 'tags', 'status'] as const;
const withoutAddress = ['email', ...onlyReview] as const;

const titled = ({ text }: Review) => ({ content: `In a word\n\n${text}` });

/** Reviews of software answer several questions, which stay above the answers. */
const answersOfG2 = ({ text }: Review, i: number) => ({
  content: [
    `“A mug, number ${i}”`,
    `What do you like best about Mug?\n${text}`,
    'What do you dislike about Mug?\nNothing yet.',
    'What problems is Mug solving and how is that benefiting you?\nWe know where our time goes.',
  ].join('\n\n'),
});

const daysAgo = [3, 7, 14];

export const tools = [
  // As scrapers write them.
  toolFile('Google Maps', 'google-maps.csv', {
    told: [/Not used: place_id/, 'unknown@example.com'],
    without: [...withoutAddress, 'time'],
    says: (_, i) => ({ daysAgo: daysAgo[i] ?? 0 }),
  }),
  toolFile('Google Takeout', 'google-takeout.json', {
    told: [/reviewReply\.comment \(“Thank you!”\)/],
    without: withoutAddress,
  }),
  // As GraphQL returns them, with their moderation.
  toolFile('an API of Google', 'google-api.json', {
    told: [/Sheet data\.location\.reviews\.edges is imported. Ignored: data\.location\.photos/],
    without: ['company', 'tags'],
  }),
  toolFile('G2', 'g2.csv', {
    told: [/Ratings become stars from 1 to 5: “4.5” becomes 5/, /Not used: Review ID.*Ease of Use Rating/],
    without: ['tags'],
    says: answersOfG2,
  }),
  toolFile('Senja', 'senja.csv', {
    told: [/Not used: Avatar/],
    says: (each) => ({ role: each.role, status: approvedOrNot(each) }),
  }),
  toolFile('Testimonial.to', 'testimonial-to.csv', {
    without: ['company', 'tags'],
    says: (each) => ({ role: each.role, time: dayOf(each), status: approvedOrNot(each) }),
  }),
  toolFile('Yotpo, whose merchants comment on reviews', 'yotpo.csv', {
    told: [
      'HTML tags are removed from 3 testimonials',
      /createdAt is read from Review Creation Date/,
      /Not used: Review ID .*Product Title.*Comment content/,
    ],
    without: ['company', 'tags'],
    // The apostrophe is a plain one.
    says: (each) => titled({ ...each, text: each.text.replaceAll('’', "'") }),
  }),
  toolFile('Judge.me with curated reviews', 'judge-me.csv', {
    told: [/Not used: product_handle/, /“<b>Hidden<\/b>/],
    without: ['company', 'tags'],
    says: titled,
  }),
  toolFile('Trustpilot for businesses', 'trustpilot.csv', {
    told: [/Review Status \(.*\) is not used for status/, /Not used: .*Company Reply Content/],
    without: onlyReview,
    says: titled,
  }),
  toolFile('Bazaarvoice', 'bazaarvoice.json', {
    told: [/Sheet Results is imported/, /unknown@example\.com/],
    without: ['email', 'company', 'tags'],
  }),
  toolFile('Places API', 'places-api.json', {
    told: [
      /author\.name: guessed from the values of authorAttribution\.displayName/,
      /Not used: .*originalText/,
    ],
    without: withoutAddress,
  }),
  // Its reviews have neither a name nor an address.
  toolFile('Google Play Console', 'google-play-console.csv', {
    told: [/No column contains author\.name/, /createdAt is read from Review Submit Date and Time/],
    bytes: Buffer.from(`\uFEFF${textOf('google-play-console.csv')}`, 'utf16le'),
    without: withoutAddress,
    says: () => ({ name: 'Anonymous' }),
  }),
  toolFile('App Store Connect', 'app-store-connect.json', {
    told: [/unknown@example\.com/, /Not used: .*territory/],
    without: withoutAddress,
    says: titled,
  }),
  toolFile('eKomi', 'ekomi.csv', {
    told: [
      /the first row is imported/,
      /No column contains author\.name/,
      /No column is used for createdAt\. Choose one with --map: column 1/,
    ],
    // Unix seconds without a heading could be ids: someone is asked.
    without: [...withoutAddress, 'time'],
    says: () => ({ name: 'Anonymous' }),
  }),
  toolFile('WordPress’s command line', 'wordpress.csv', {
    told: [/createdAt is read from comment_date_gmt/, /Not used: .*comment_karma/],
    without: ['company', 'rating', 'tags'],
  }),
  toolFile('Facebook', 'facebook.json', {
    told: [/Some letters were garbled/, /recommendation_type/],
    without: [...withoutAddress, 'rating'],
  }),
  toolFile('Qualtrics', 'qualtrics.csv', {
    told: [/2 rows of descriptions below the header are skipped/, /createdAt is read from EndDate/],
    without: onlyReview,
  }),
  // Of Excel on a German Windows: semicolons, and Windows-1252.
  toolFile('a German Excel', 'german-excel.csv', {
    told: ['Windows-1252'],
    bytes: Buffer.from(textOf('german-excel.csv').replaceAll('’', '\x92'), 'latin1'),
    without: ['tags', 'status'],
    says: (each) => ({ time: dayOf(each) }),
  }),
  toolFile('a workbook', 'testimonials.xlsx', {
    told: [
      'Sheet Testimonials is imported. Ignored: Notes.',
      '2 lines above the header are ignored.',
      /What they said \(“yes”\)/,
    ],
    bytes: workbook({
      Notes: [['Ask Ann'], ['before you publish']],
      Testimonials: [
        ['Customer voices'],
        [],
        ['of all teams'],
        ['Full name', 'Email', 'Company', 'Stars', 'What they said', 'Comment', 'Date', 'Published'],
        ...reviewsIn('tools').map((each) => [
          each.name,
          each.email,
          each.company,
          each.rating,
          'yes',
          each.text,
          { day: each.time },
          each.status === 'approved',
        ]),
      ],
    }),
    without: ['tags'],
    says: (each) => ({ status: approvedOrNot(each) }),
  }),
];
