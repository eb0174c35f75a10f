/** Reviews and answers, as stores of apps, shops and forms export them. */
import { approvedOrNot, csv, dayOf, nameOf, reviews, type ToolFile, toolFile } from './tool-file.ts';

const title = 'In a word';
const titled = ({ text }: { text: string }) => ({ content: `${title}\n\n${text}` });
const plain = (time: string) => `${time.replace('T', ' ')}:00`;
const american = (time: string) => time.slice(0, 10).replace(/(\d+)-(\d+)-(\d+)/, '$2/$3/$1');
const long = (time: string) =>
  new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(`${time}Z`));

const stamped = toolFile('Stamped', 'stamped-reviews.csv', {
  told: [/Not used: .*reply/],
  bytes: csv((each, i) => ({
    id: String(9100 + i),
    published: String(each.status === 'approved'),
    rating: String(each.rating),
    title,
    author: nameOf(each),
    email: each.email,
    location: 'Berlin, Germany',
    body: each.text,
    reply: i === 0 ? 'Thank you so much for telling us about it!' : '',
    replied_at: i === 0 ? '2024-05-05 10:00:00' : '',
    created_at: plain(each.time),
    productId: '5512',
    productTitle: 'Blue mug',
    featured: 'false',
    isVerified: '1',
  })),
  without: ['company', 'tags'],
  says: (each) => ({ ...titled(each), status: approvedOrNot(each) }),
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
  without: ['email', 'company', 'tags', 'status'],
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
  without: ['email', 'company', 'tags', 'status'],
  says: titled,
});

const etsy = toolFile('Etsy', 'etsy-reviews.json', {
  told: [/unknown@example\.com/],
  bytes: JSON.stringify(
    reviews.map((each, i) => ({
      reviewer: nameOf(each),
      date_reviewed: american(each.time),
      star_rating: each.rating,
      message: each.text,
      order_id: 3_100_000_000 + i,
    })),
  ),
  without: ['email', 'company', 'tags', 'status'],
  says: (each) => ({ time: dayOf(each) }),
});

const jotform = toolFile('Jotform', 'Customer_Testimonials.csv', {
  bytes: csv((each, i) => ({
    'Submission Date': long(each.time),
    'First Name': each.first,
    'Last Name': each.last,
    'E-mail': each.email,
    'Company/Organization': each.company,
    'How would you rate our service?': String(each.rating),
    'Please share your experience with us': each.text,
    'I allow you to publish my testimonial': 'Yes',
    'Submission ID': `58${i}4477`,
  })),
  told: [/Not used: I allow you/],
  without: ['tags', 'status'],
  says: (each) => ({ time: dayOf(each), company: each.company }),
});

const tally = toolFile('Tally', 'Testimonials_Submissions.csv', {
  told: [/Not used: Submission ID/],
  bytes: csv((each, i) => ({
    'Submission ID': `mVz${i}K`,
    'Respondent ID': `8qG${i}w`,
    'Submitted at': plain(each.time),
    'What is your name?': nameOf(each),
    'Your email': each.email,
    'Your role': each.role,
    'How would you rate us?': String(each.rating),
    'What would you tell a friend about us?': each.text,
  })),
  without: ['company', 'tags', 'status'],
  says: ({ role }) => ({ role }),
});

const hotjar = toolFile('Hotjar', 'feedback-12345.csv', {
  told: [/No column contains author\.name/],
  bytes: csv((each, i) => ({
    Number: String(i + 1),
    User: `a1b2c3${i}f`,
    'Date Submitted': plain(each.time),
    Country: 'Germany',
    'Source URL': 'https://shop.example/thanks',
    Device: 'desktop',
    Browser: 'Firefox 123.0',
    OS: 'Linux',
    'Hotjar User ID': `0f8fad5b-d9cb-469f-a165-70867728950${i}`,
    'How would you rate your experience?': String(each.rating),
    'Anything you would like to add?': each.text,
    Email: each.email,
  })),
  without: ['company', 'tags', 'status'],
  says: () => ({ name: 'Anonymous' }),
});

const delighted = toolFile('Delighted', 'delighted-responses.csv', {
  told: [/“10” becomes 5, “8” becomes 4/],
  bytes: csv((each, i) => ({
    'Response ID': String(77_000 + i),
    'Survey type': 'nps',
    Score: String(2 * each.rating),
    Comment: each.text,
    'Person ID': String(55_000 + i),
    'Person Name': nameOf(each),
    'Person Email': each.email,
    'Created at': `${plain(each.time)} UTC`,
    'Updated at': '2024-05-06 07:08:09 UTC',
    Notes: '',
    Tags: each.tags.join(', '),
    'Company name': each.company,
  })),
  without: ['status'],
  says: ({ company }) => ({ company }),
});

const hubspot = toolFile('HubSpot', 'feedback-submissions.csv', {
  told: [/Not used: .*Survey name/],
  bytes: csv((each, i) => ({
    'Record ID': String(301 + i),
    'Survey name': 'Customer satisfaction, spring',
    'Survey type': 'CSAT',
    'Response date': `${dayOf(each)} ${each.time.slice(11)}`,
    Rating: String(each.rating),
    Sentiment: each.rating > 3 ? 'Positive' : 'Negative',
    'Text feedback': each.text,
    'Contact first name': each.first,
    'Contact last name': each.last,
    'Contact email': each.email,
    'Ingestion date': '2024-05-06 07:08',
  })),
  without: ['company', 'tags', 'status'],
});

const reviewsIo = toolFile('Reviews.io', 'reviews-io.csv', {
  told: [/Not used: .*Reply/],
  bytes: csv((each, i) => ({
    Date: plain(each.time),
    'Order ID': String(880 + i),
    'Reviewer Name': nameOf(each),
    'Reviewer Email': each.email,
    Rating: String(each.rating),
    Title: title,
    Comments: each.text,
    'Reply 1': 'Thank you, we have passed this on to the team.',
    Hidden: each.status === 'rejected' ? '1' : '0',
    'Verified Buyer': 'yes',
  })),
  without: ['company', 'tags'],
  says: (each) => ({ ...titled(each), status: each.status === 'rejected' ? 'rejected' : 'approved' }),
});

export const otherTools: ToolFile[] = [
  stamped,
  playConsole,
  appStore,
  etsy,
  jotform,
  tally,
  hotjar,
  delighted,
  hubspot,
  reviewsIo,
];
