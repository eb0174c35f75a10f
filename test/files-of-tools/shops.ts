/** Reviews of products, as the apps of shops export them. */
import { csv, escaped, nameOf, type ToolFile, toolFile, unescaped } from './tool-file.ts';

const published = { approved: 'Published', pending: 'Unpublished', rejected: 'Rejected' };
const state = { approved: 'published', pending: 'unpublished', rejected: 'spam' };
const title = 'In a word';

const yotpo = toolFile('Yotpo', 'yotpo-reviews.csv', {
  told: ['HTML in 3 lines', /Not used: Review ID .*Product Title/],
  bytes: csv((each, i) => ({
    'Review ID': String(700 + i),
    'Review Status': published[each.status],
    'Review Score': String(each.rating),
    'Review Title': title,
    'Review Content': `<p>${escaped(each.text)}</p>`,
    'Review Creation Date': `${each.time}:00Z`,
    'Reviewer Display Name': nameOf(each),
    'Reviewer Email': each.email,
    'Product Title': 'Mug',
  })),
  without: ['company', 'tags'],
  says: ({ text }) => ({ content: `${title}\n\n${unescaped(text)}` }),
});

export const shops: ToolFile[] = [
  yotpo,
  toolFile('Shopify', 'product-reviews.csv', {
    told: ['HTML in 2 lines', /product_handle .*location/],
    bytes: csv((each) => ({
      product_handle: 'mug',
      state: state[each.status],
      rating: String(each.rating),
      title,
      author: nameOf(each),
      email: each.email,
      location: 'Berlin',
      body: escaped(each.text),
      reply: '',
      created_at: `${each.time.replace('T', ' ')}:00 UTC`,
      replied_at: '',
    })),
    without: ['company', 'tags'],
    says: ({ text }) => ({ content: `${title}\n\n${unescaped(text)}` }),
  }),
  toolFile('Judge.me', 'judgeme.csv', {
    told: [/product_id/],
    bytes: csv((each) => ({
      title: '',
      body: each.text,
      rating: String(each.rating),
      review_date: `${each.time.replace('T', ' ')}:00 UTC`,
      reviewer_name: nameOf(each),
      reviewer_email: each.email,
      product_id: '77',
      status: published[each.status].toLowerCase(),
    })),
    without: ['company', 'tags'],
  }),
  toolFile('Trustpilot', 'trustpilot.csv', {
    told: [/Review Id/],
    bytes: csv((each, i) => ({
      'Review Id': `${i}a7`,
      'Review Created (UTC)': `${each.time.replace('T', ' ')}:00`,
      'Review Username': nameOf(each),
      'Review User Email': each.email,
      'Review Title': title,
      'Review Content': each.text,
      'Review Stars': String(each.rating),
    })),
    without: ['company', 'tags', 'status'],
    says: ({ text }) => ({ content: `${title}\n\n${text}` }),
  }),
];
