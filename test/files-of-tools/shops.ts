/** Reviews of products, as the apps of shops export them. */
import { csv, dayOf, escaped, nameOf, type ToolFile, toolFile, unescaped } from './tool-file.ts';

const published = { approved: 'Published', pending: 'Unpublished', rejected: 'Rejected' };
const state = { approved: 'published', pending: 'unpublished', rejected: 'spam' };
const title = 'In a word';

export const yotpo = toolFile('Yotpo', 'yotpo-reviews.csv', {
  told: ['HTML of 3 lines', /Not used: Review ID .*Product Title/],
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

export const shopsOfHtml: ToolFile[] = [
  yotpo,
  toolFile('Shopify', 'product-reviews.csv', {
    told: ['HTML of 2 lines', /product_handle .*location/],
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
  toolFile('Loox', 'loox.csv', {
    told: ['HTML of 2 lines', /photo_url \(“https/],
    bytes: csv((each, i) => ({
      id: `loox-${i}`,
      status: published[each.status],
      product_handle: 'mug',
      rating: String(each.rating),
      author: nameOf(each),
      email: each.email,
      body: escaped(each.text),
      created_at: `${each.time}:00.000Z`,
      photo_url: 'https://images.example.com/1.jpg',
      verified_purchase: 'true',
    })),
    without: ['company', 'tags'],
    says: ({ text }) => ({ content: unescaped(text) }),
  }),
];

/** Some have columns that say of which product a review is, and of which customer by a number. */
export const otherShops: ToolFile[] = [
  toolFile('a shop: Name is the product, Author the person', 'shop.csv', {
    told: [/Name \(“Blue mug”\)/],
    bytes: csv((each) => ({
      Name: 'Blue mug',
      Author: nameOf(each),
      Email: each.email,
      Review: each.text,
      Rating: String(each.rating),
      Date: dayOf(each),
    })),
    without: ['company', 'tags', 'status'],
    says: (each) => ({ time: dayOf(each) }),
  }),
  toolFile('a CRM: Customer is a number', 'crm.csv', {
    told: [/Customer \(“1000”, “1001”, “1002”\)/],
    bytes: csv((each, i) => ({
      Customer: String(1000 + i),
      'First name': each.first,
      'Last name': each.last,
      Email: each.email,
      Feedback: each.text,
      Score: `${each.rating} out of 5`,
      'Created on': dayOf(each),
    })),
    without: ['company', 'tags', 'status'],
    says: (each) => ({ time: dayOf(each) }),
  }),
  toolFile('an agency: Client email beside Email', 'agency.csv', {
    told: [/Email \(“agent@example.com”\)/],
    bytes: csv((each) => ({
      Email: 'agent@example.com',
      'Client name': nameOf(each),
      'Client email': each.email,
      'Client company': each.company,
      Testimonial: each.text,
    })),
    without: ['rating', 'tags', 'status', 'time'],
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
