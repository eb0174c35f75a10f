/** Reviews of products, as the apps of shops export them. */
import {
  csv,
  dayOf,
  escaped,
  nameOf,
  type Review,
  reviews,
  saidOf,
  type ToolFile,
  unescaped,
} from './tool-file.ts';

const published = { approved: 'Published', pending: 'Unpublished', rejected: 'Rejected' };
const stateOf = ({ status }: Review) =>
  ({ approved: 'published', pending: 'unpublished', rejected: 'spam' })[status];
const title = 'In a word';

export function yotpo(): ToolFile {
  return {
    ...{
      tool: 'Yotpo',
      file: 'yotpo-reviews.csv',
      typed: 'y',
      told: ['HTML of 3 lines', /Not used: Review ID .*Product Title/],
    },
    bytes: csv(
      reviews.map((each, i) => ({
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
    ),
    said: reviews.map((each) => ({
      ...saidOf(each, 'company', 'tags'),
      content: `${title}\n\n${unescaped(each.text)}`,
    })),
  };
}

export function shopify(): ToolFile {
  return {
    ...{
      tool: 'Shopify',
      file: 'product-reviews.csv',
      typed: 'y',
      told: ['HTML of 2 lines', /product_handle .*location/],
    },
    bytes: csv(
      reviews.map((each) => ({
        product_handle: 'mug',
        state: stateOf(each),
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
    ),
    said: reviews.map((each) => ({
      ...saidOf(each, 'company', 'tags'),
      content: `${title}\n\n${unescaped(each.text)}`,
    })),
  };
}

export function loox(): ToolFile {
  return {
    ...{ tool: 'Loox', file: 'loox.csv', typed: 'y', told: ['HTML of 2 lines', /photo_url \(“https/] },
    bytes: csv(
      reviews.map((each, i) => ({
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
    ),
    said: reviews.map((each) => ({ ...saidOf(each, 'company', 'tags'), content: unescaped(each.text) })),
  };
}

export function judgeMe(): ToolFile {
  return {
    ...{
      tool: 'Judge.me',
      file: 'judgeme.csv',
      typed: 'y',
      told: [/product_id/],
    },
    bytes: csv(
      reviews.map((each) => ({
        title: '',
        body: each.text,
        rating: String(each.rating),
        review_date: `${each.time.replace('T', ' ')}:00 UTC`,
        reviewer_name: nameOf(each),
        reviewer_email: each.email,
        product_id: '77',
        status: published[each.status].toLowerCase(),
      })),
    ),
    said: reviews.map((each) => saidOf(each, 'company', 'tags')),
  };
}

export function trustpilot(): ToolFile {
  return {
    ...{
      tool: 'Trustpilot',
      file: 'trustpilot.csv',
      typed: 'y',
      told: [/Review Id/],
    },
    bytes: csv(
      reviews.map((each, i) => ({
        'Review Id': `${i}a7`,
        'Review Created (UTC)': `${each.time.replace('T', ' ')}:00`,
        'Review Username': nameOf(each),
        'Review User Email': each.email,
        'Review Title': title,
        'Review Content': each.text,
        'Review Stars': String(each.rating),
      })),
    ),
    said: reviews.map((each) => ({
      ...saidOf(each, 'company', 'tags', 'status'),
      content: `${title}\n\n${each.text}`,
    })),
  };
}

/** A shop whose columns say of which product a review is, and of which customer by a number. */
export function products(): ToolFile {
  return {
    ...{
      tool: 'a shop: Name is the product, Author the person',
      file: 'shop.csv',
      typed: 'y',
      told: [/Name \(“Blue mug”\)/],
    },
    bytes: csv(
      reviews.map((each) => ({
        Name: 'Blue mug',
        Author: nameOf(each),
        Email: each.email,
        Review: each.text,
        Rating: String(each.rating),
        Date: dayOf(each),
      })),
    ),
    said: reviews.map((each) => ({ ...saidOf(each, 'company', 'tags', 'status'), time: dayOf(each) })),
  };
}

export function customers(): ToolFile {
  return {
    ...{
      tool: 'a CRM: Customer is a number',
      file: 'crm.csv',
      typed: 'y',
      told: [/Customer \(“1000”, “1001”, “1002”\)/],
    },
    bytes: csv(
      reviews.map((each, i) => ({
        Customer: String(1000 + i),
        'First name': each.first,
        'Last name': each.last,
        Email: each.email,
        Feedback: each.text,
        Score: `${each.rating} out of 5`,
        'Created on': dayOf(each),
      })),
    ),
    said: reviews.map((each) => ({ ...saidOf(each, 'company', 'tags', 'status'), time: dayOf(each) })),
  };
}

export function agency(): ToolFile {
  return {
    ...{
      tool: 'an agency: Client email beside Email',
      file: 'agency.csv',
      typed: 'y',
      told: [/Email \(“agent@example.com”\)/],
    },
    bytes: csv(
      reviews.map((each) => ({
        Email: 'agent@example.com',
        'Client name': nameOf(each),
        'Client email': each.email,
        'Client company': each.company,
        Testimonial: each.text,
      })),
    ),
    said: reviews.map((each) => saidOf(each, 'rating', 'tags', 'status', 'time')),
  };
}
