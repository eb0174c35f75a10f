/** Files of the kinds that public reports showed to be misread. */
import { stringify } from 'csv-stringify/sync';
import { csv, dayOf, nameOf, plainTime, type Review, reviews, type ToolFile, toolFile } from './tool-file.ts';

/** A table without the row of headings that `csv` writes. */
const headless = (row: (review: Review, i: number) => string[], delimiter: string) =>
  stringify(reviews.map(row), {
    delimiter,
    record_delimiter: 'windows',
    quoted_match: /\n/,
  });

/** UTF-8 whose bytes were taken for Latin-1, each of them a letter. */
const misread = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
const escapedUnicode = (text: string) =>
  text.replace(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);

const eKomi = toolFile('eKomi', 'ekomi.csv', {
  told: [
    /the first row is imported/,
    /No column contains author\.name/,
    /No column is used for createdAt\. Choose one with --map: column 1/,
  ],
  bytes: headless(
    (each, i) => [String(Date.parse(`${each.time}Z`) / 1000), `A-10${i}`, String(each.rating), each.text, ''],
    ';',
  ),
  // Unix seconds without a heading could be ids: someone is asked.
  without: ['email', 'company', 'tags', 'status', 'time'],
  says: () => ({ name: 'Anonymous' }),
});

const commentApproved = { approved: '1', pending: '0', rejected: 'spam' };

const wordpress = toolFile('WordPress’s command line', 'comments.csv', {
  told: [/createdAt is read from comment_date_gmt/, /Not used: .*comment_karma/],
  bytes: csv((each, i) => ({
    comment_ID: String(40 + i),
    comment_post_ID: '7',
    comment_author: nameOf(each),
    comment_author_email: each.email,
    comment_author_url: 'https://shop.example/',
    comment_author_IP: '203.0.113.7',
    comment_date: `${each.time.replace('T', ' ').replace(/ (\d\d)/, (_, hour) => ` ${String(Number(hour) + 1).padStart(2, '0')}`)}:00`,
    comment_date_gmt: plainTime(each),
    comment_content: each.text,
    comment_karma: '0',
    comment_approved: commentApproved[each.status],
    comment_agent: 'Mozilla/5.0 (X11; Linux x86_64)',
    comment_type: 'comment',
    comment_parent: '0',
    user_id: '0',
  })),
  without: ['company', 'rating', 'tags'],
});

const facebook = toolFile('Facebook', 'recommendations.json', {
  told: [/Some letters were garbled/, /recommendation_type/],
  bytes: escapedUnicode(
    misread(
      JSON.stringify({
        recommendations: reviews.map((each) => ({
          created_time: `${each.time}:00+0000`,
          recommendation_type: each.rating > 2 ? 'positive' : 'negative',
          review_text: each.text,
          recommender_name: nameOf(each),
        })),
      }),
    ),
  ),
  without: ['email', 'company', 'rating', 'tags', 'status'],
});

const qualtricsColumns: [string, string, string, (each: Review, i: number) => string][] = [
  ['StartDate', 'Start Date', 'startDate', (each) => `${dayOf(each)} 00:01:00`],
  ['EndDate', 'End Date', 'endDate', plainTime],
  ['Status', 'Response Type', 'status', () => 'IP Address'],
  ['IPAddress', 'IP Address', 'ipAddress', () => '203.0.113.7'],
  ['Progress', 'Progress', 'progress', () => '100'],
  ['Duration (in seconds)', 'Duration (in seconds)', 'duration', (_, i) => String(200 + i)],
  ['Finished', 'Finished', 'finished', () => 'True'],
  ['RecordedDate', 'Recorded Date', 'recordedDate', (each) => `${each.time.replace('T', ' ')}:09`],
  ['ResponseId', 'Response ID', '_recordId', (_, i) => `R_1a2b${i}`],
  ['RecipientLastName', 'Recipient Last Name', 'recipientLastName', (each) => each.last],
  ['RecipientFirstName', 'Recipient First Name', 'recipientFirstName', (each) => each.first],
  ['RecipientEmail', 'Recipient Email', 'recipientEmail', (each) => each.email],
  ['ExternalReference', 'External Data Reference', 'externalDataReference', () => ''],
  ['LocationLatitude', 'Location Latitude', 'locationLatitude', () => '52.5'],
  ['DistributionChannel', 'Distribution Channel', 'distributionChannel', () => 'email'],
  ['UserLanguage', 'User Language', 'userLanguage', () => 'EN'],
  ['Q1', 'How satisfied are you with our mugs?', 'QID1', (each) => String(each.rating)],
  ['Q2', 'What has changed for you?', 'QID2_TEXT', (each) => each.text],
];

const qualtrics = toolFile('Qualtrics', 'survey.csv', {
  told: [/2 rows of descriptions below the header are skipped/, /createdAt is read from EndDate/],
  bytes: stringify([
    qualtricsColumns.map(([name]) => name),
    qualtricsColumns.map(([, description]) => description),
    qualtricsColumns.map(([, , id]) => JSON.stringify({ ImportId: id })),
    ...reviews.map((each, i) => qualtricsColumns.map(([, , , cell]) => cell(each, i))),
  ]),
  without: ['company', 'tags', 'status'],
});

export const reported: ToolFile[] = [eKomi, wordpress, facebook, qualtrics];
