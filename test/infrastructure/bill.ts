/**
 * The monthly bill in docs/costs.md, computed from the prices of fair use, the template and CloudWatch's
 * prices.
 */
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { StoredTestimonial } from '../../functions/domain/stored-testimonial.ts';
import { ordinalOf } from '../../functions/domain/testimonial-id.ts';
import { costMeter } from '../../functions/dynamodb/cost-meter.ts';
import { costOf, dollarsOf, prices } from '../../functions/fair-use/prices.ts';
import { changeTestimonial } from '../../functions/testimonials/operations/change-testimonial.ts';
import { createTestimonial } from '../../functions/testimonials/operations/create-testimonial.ts';
import { unpaidPostings } from '../../functions/testimonials/operations/unpaid-postings.ts';
import { storesOf } from '../api-client.ts';
import { billText } from '../benchmark/report.ts';
import { storedBytesOf, writeUnitsOf } from '../benchmark/write-units.ts';
import { tableOf } from '../operations-page.ts';
import { createTestTable } from '../test-table.ts';
import { inputsOf } from '../testimonials.ts';
import { generateTestimonials } from '../zipf/generate-testimonials.ts';
import { lineBytes, synthesizeWith } from './synthesized.ts';

/** Dollars in us-east-1 (https://aws.amazon.com/cloudwatch/pricing/), without the free tier. */
const cloudWatch = {
  gigabyteOfLogs: 0.5,
  storedGigabyte: 0.03,
  metric: 0.3,
  watchedMetric: 0.1,
  dashboard: 3,
};

/** A secret a month (https://aws.amazon.com/secrets-manager/pricing/). */
const secret = 0.4;

/** Nanodollars of an event, and of a call of a webhook (https://aws.amazon.com/eventbridge/pricing/). */
const eventBridge = { event: 1000, call: 200 };

/** Dollars of a gigabyte in the table (https://aws.amazon.com/dynamodb/pricing/on-demand/). */
const storedGigabyte = 0.25;

/**
 * Lambda asks a queue in at most five long polls of 20 s at once
 * (https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html), for nanodollars of a FIFO queue
 * (https://aws.amazon.com/sqs/pricing/).
 */
const polls = { atOnce: 5, seconds: 20, price: 500 };

/** CloudWatch stores logs compressed, to some 15 %. */
const compression = 0.15;

/**
 * Milliseconds of the index function and its invocations for a create and for a change of status, in the
 * benchmark: a thousand together, and one by one.
 */
const indexTime = {
  create: [
    { milliseconds: 6.8, invocations: 1 / 1000 },
    { milliseconds: 52, invocations: 1 },
  ],
  approval: [
    { milliseconds: 0.7, invocations: 3 / 1000 },
    { milliseconds: 154, invocations: 3 },
  ],
} as const;
const indexMegabytes = 1769;

/**
 * Added by CloudWatch to each line
 * (https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/cloudwatch_limits_cwl.html).
 */
const lineOverheadBytes = 26;

const million = 1e6;
const nothing = { bytesIn: 0, readUnits: 0, writeUnits: 0, postings: 0 };

/** First pages of 25, compressed, creates, and approvals by PATCH, with the figures of the benchmark. */
const lists = { ...nothing, count: 10 * million, milliseconds: 10, readUnits: 7, bytesOut: 6033 };
const creates = { ...nothing, count: million, milliseconds: 17, writeUnits: 8, bytesOut: 700 };
const approvals = {
  ...nothing,
  count: million,
  milliseconds: 27,
  readUnits: 1,
  writeUnits: 13,
  bytesOut: 700,
};
const requests = [lists, creates, approvals];

/** Postings for a create: a thousand creates together, and one by one. */
const postings = [10, 58] as const;

/**
 * Units of the index update of a change of status, in the benchmark: a thousand changes together, and one by
 * one.
 */
const indexUnits = [
  { readUnits: 1.3, writeUnits: 1.3 },
  { readUnits: 89, writeUnits: 58 },
] as const;

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

/** Returns the dollars of all requests, by the nanodollars of each. */
function dollarsOfRequests(nanodollars: (request: (typeof requests)[number]) => number): number {
  return dollarsOf(sum(requests.map((request) => request.count * nanodollars(request))));
}

const charged = {
  'Requests at the gateway': dollarsOfRequests(() => prices.request),
  'Functions of the API': dollarsOfRequests(
    ({ milliseconds }) => prices.invocation + milliseconds * prices.gigabyteMillisecond,
  ),
  'Reads and writes': dollarsOfRequests(
    ({ readUnits, writeUnits }) => readUnits * prices.readUnit + writeUnits * prices.writeUnit,
  ),
};
const indexOfCreates = postings.map((each) =>
  dollarsOf(creates.count * each * (prices.readUnit + prices.writeUnit)),
);
const indexOfApprovals = indexUnits.map(({ readUnits, writeUnits }) =>
  dollarsOf(approvals.count * (readUnits * prices.readUnit + writeUnits * prices.writeUnit)),
);
const indexUpdates = indexOfCreates.map((each, i) => each + (indexOfApprovals[i] ?? Number.NaN));
const traffic = dollarsOfRequests(({ bytesOut }) => bytesOut * prices.byteOut);

const [prod, dev] = [synthesizeWith({ stage: 'prod' }), synthesizeWith()];
const withOptions = synthesizeWith({
  stage: 'prod',
  moderation: true,
  desk: true,
  pages: true,
  events: true,
  webhookUrl: 'https://www.example.com/hook',
});

/** Each metric of an alarm is charged, also within an expression. */
function alarmsOf({ all }: typeof prod): number {
  const watched = all('CloudWatch::Alarm').map(
    ({ Properties: { Metrics } }): number =>
      Metrics?.filter((each: { MetricStat?: object }) => each.MetricStat).length ?? 1,
  );
  return sum(watched) * cloudWatch.watchedMetric;
}
const dashboardsOf = ({ all }: typeof prod) => all('CloudWatch::Dashboard').length * cloudWatch.dashboard;

/** Returns a line of the gateway's log with long fields. */
function lineOfGateway(): string {
  const values: Record<string, string> = {
    requestId: 'JKJaXmPLvHcESHA=',
    routeKey: 'POST /v1/testimonials',
    status: '200',
    responseLength: '5045',
    responseLatency: '142',
    integrationLatency: '140',
    integrationErrorMessage: '-',
    'error.responseType': '-',
    'identity.sourceIp': '2001:db8:85a3:8d3:1319:8a2e:370:7348',
    'identity.userAgent': 'a'.repeat(110),
  };
  const { Format }: { Format: string } = prod.one('ApiGatewayV2::Stage').Properties.AccessLogSettings;
  return Format.replaceAll(/\$context\.([\w.]+)/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`The gateway's log has another field: ${name}`);
    return value;
  });
}

const requestsInAll = sum(requests.map(({ count }) => count));
const bytesOfLines = lineBytes + lineOfGateway().length + 2 * lineOverheadBytes;
// Filters that count lines count problems, and make no metric without one.
const numbersInLines = prod
  .all('Logs::MetricFilter')
  .flatMap(({ Properties }) => Properties.MetricTransformations)
  .filter(({ MetricValue }) => MetricValue.startsWith('$.'));
/** Returns the dollars of the index function for a million testimonials that are indexed one by one. */
function indexFunctionDollars([, { milliseconds, invocations }]: (typeof indexTime)[keyof typeof indexTime]) {
  const time = milliseconds * prices.gigabyteMillisecond * (indexMegabytes / 1024);
  return dollarsOf(million * (invocations * prices.invocation + time));
}
const oneByOne = {
  create: indexFunctionDollars(indexTime.create),
  approval: indexFunctionDollars(indexTime.approval),
};
const sample = [...generateTestimonials(1000, { seed: 99 })];
const gigabytesOfMillion = (million * sum(sample.map(storedBytesOf))) / sample.length / 1e9;
const queueOfChecks =
  prod.all('SQS::Queue', 'RolloutChecks').length *
  dollarsOf(((30 * 24 * 3600) / polls.seconds) * polls.atOnce * polls.price);
const logMonths = prod.one('Logs::LogGroup', 'ListTestimonialsLogs').Properties.RetentionInDays / 30;
const logBytes = requestsInAll * bytesOfLines;
const additional = {
  'The index function': oneByOne.create + oneByOne.approval,
  'Lines of logs': (logBytes * cloudWatch.gigabyteOfLogs) / 1e9,
  'Storage of these lines': (logBytes * logMonths * compression * cloudWatch.storedGigabyte) / 1e9,
  'Metrics of these lines': numbersInLines.length * cloudWatch.metric,
  Alarms: alarmsOf(prod),
  'The dashboard': dashboardsOf(prod),
  'The queue of checks': queueOfChecks,
  'Sums of fair use': dollarsOf(requestsInAll * prices.writeUnit),
  'Storage of the testimonials': gigabytesOfMillion * storedGigabyte,
  Traffic: traffic,
};
const idle = alarmsOf(prod) + dashboardsOf(prod) + queueOfChecks;
const publishing = { milliseconds: 30, readUnits: 1 };
const optional = {
  'Alarms of all optional functions and of events': alarmsOf(withOptions) - alarmsOf(prod),
  'The metric of published events': cloudWatch.metric,
  'Events, one for each create, to a webhook': dollarsOf(
    creates.count *
      (prices.invocation +
        publishing.milliseconds * prices.gigabyteMillisecond +
        publishing.readUnits * prices.readUnit +
        eventBridge.event +
        eventBridge.call),
  ),
  'Forms instead of the API, for all creates': dollarsOf(
    creates.count * (prices.writeUnit + prices.readUnit),
  ),
  'The key of the webhook': withOptions.all('SecretsManager::Secret').length * secret,
};

const dollars = (amount: number) => `$${amount.toFixed(2)}`;

describe('the bill of a month', () => {
  test('has the units that an approval and a create with a key use', async () => {
    const table = await createTestTable();
    const meter = costMeter(table.client);
    const { testimonials, idempotencyKeys } = storesOf(table);
    const deps = { testimonials, idempotencyKeys, now: table.now, randomInt };
    const [input] = inputsOf(sample.slice(0, 1));
    if (!input) throw new Error('There is no sample');
    meter.reset();
    const { testimonial } = await createTestimonial(deps, { organization: 'costs', input });
    const alone = meter.cost();
    meter.reset();
    await createTestimonial(deps, { organization: 'costs', input, idempotencyKey: 'form 1' });
    const withKey = meter.cost();
    expect(withKey.writeUnits - alone.writeUnits).toBe(1);
    const ordinal = ordinalOf(testimonial.id);
    const before = await testimonials.find('costs', ordinal);
    expect(alone.writeUnits + writeUnitsOf(undefined, ofTable(before)).indexes).toBe(creates.writeUnits);
    meter.reset();
    await changeTestimonial(deps, 'costs', testimonial.id, { status: 'approved' });
    const { writeUnits, units } = meter.cost();
    const after = await testimonials.find('costs', ordinal);
    expect(writeUnits + writeUnitsOf(ofTable(before), ofTable(after)).indexes).toBe(approvals.writeUnits);
    expect(units - writeUnits).toBe(approvals.readUnits);
  });

  test('has storage for a million testimonials', () => {
    expect(gigabytesOfMillion.toFixed(1)).toBe('5.3');
  });

  test('is the same in docs/benchmark.md', () => {
    expect(readFileSync('docs/benchmark.md', 'utf8')).toContain(billText());
  });

  test('matches docs/costs.md', () => {
    const chargedInAll = sum(Object.values(charged));
    const range = (base: number) => indexUpdates.map((each) => dollars(base + each)).join(' to ');
    const rows = [
      ...Object.entries(charged).map(([what, amount]) => [what, dollars(amount)]),
      ['Updates of the list index', range(0)],
      ['**Requests, in all**', `**${range(chargedInAll)}**`],
      ...Object.entries(additional).map(([what, amount]) => [what, dollars(amount)]),
      ['**Additional, in all**', `**${dollars(sum(Object.values(additional)))}**`],
      ...Object.entries(optional).map(([what, amount]) => [what, dollars(amount)]),
      ['**Optional parts, in all**', `**${dollars(sum(Object.values(optional)))}**`],
      ['**A protected stage without requests**', `**${dollars(idle)}**`],
      ['**Any other stage without requests**', `**${dollars(alarmsOf(dev) + dashboardsOf(dev))}**`],
    ];
    expect(tableOf('What a month costs').map(([what, amount]) => [what, amount])).toEqual(rows);
  });

  test('equals the charges of fair use for the same requests, and at most $36 more', () => {
    const byFairUse = dollarsOf(sum(requests.map((request) => request.count * costOf(request))));
    expect(Math.abs(sum(Object.values(charged)) + traffic - byFairUse)).toBeLessThan(0.02);
    expect(sum(Object.values(additional))).toBeLessThanOrEqual(36);
  });

  test('is a few dollars for an idle protected stage, and almost nothing for any other', () => {
    expect(idle).toBeLessThanOrEqual(8);
    expect(alarmsOf(dev) + dashboardsOf(dev)).toBeLessThanOrEqual(2);
  });

  test.each(tableOf('What other numbers cost'))(
    'of %s creates and %s lists is %s',
    (createsText, listsText, shown) => {
      const [createCount, listCount] = [createsText, listsText].map((text = '') =>
        Number(text.replaceAll(',', '')),
      );
      const fixed = additional['Metrics of these lines'] + idle;
      const ofList = perRequest(lists);
      const index = Number(indexUpdates[1]) + oneByOne.create + oneByOne.approval;
      const ofCreate = perRequest(creates) + perRequest(approvals) + index / million;
      const all = fixed + Number(createCount) * ofCreate + Number(listCount) * ofList;
      expect(shown).toBe(dollars(all));
    },
  );
});

/** Returns a testimonial that is in the table. */
function ofTable(found: StoredTestimonial | undefined): StoredTestimonial {
  if (!found) throw new Error('The testimonial is not in the table');
  return found;
}

/** Returns the dollars of a request with its lines of logs and its sum of fair use. */
function perRequest(request: (typeof requests)[number]): number {
  const lines = sum([additional['Lines of logs'], additional['Storage of these lines']]) / requestsInAll;
  return dollarsOf(costOf(request) + prices.writeUnit) + lines;
}

/** Reviews of the same content in five languages, and a longer one without spaces. */
const texts: Record<string, string> = {
  English:
    'The onboarding took ten minutes and the team answered every question within the hour. We would buy it again without a second thought.',
  German:
    'Die Einrichtung war nach zehn Minuten fertig, und jede Frage wurde innerhalb einer Stunde beantwortet. Wir würden es sofort wieder kaufen.',
  Chinese: '这个产品太棒了，上手只用了十分钟，团队在一小时内回答了所有问题，我们会毫不犹豫地再次购买。',
  Japanese:
    '素晴らしい製品です。導入は十分で終わり、質問にはすべて一時間以内に答えてくれました。迷わずまた買います。',
  Thai: 'ผลิตภัณฑ์ยอดเยี่ยม เริ่มใช้งานได้ในสิบนาที ทีมงานตอบทุกคำถามภายในหนึ่งชั่วโมง เราจะซื้ออีกโดยไม่ลังเล',
  'Japanese, longer':
    '素晴らしい製品です。導入は十分で終わり、質問にはすべて一時間以内に答えてくれました。画面は見やすく、初めての人でも説明書なしで使えます。' +
    '以前の道具では毎週半日かかっていた集計が、今では数秒で済みます。価格も手ごろで、社内のほかの部署にもすすめました。迷わずまた買います。',
};

test.each(tableOf('What texts cost'))(
  'an index update for one text in %s',
  (language = '', letters, count, amount) => {
    const text = texts[language] ?? '';
    const testimonial = {
      content: text,
      author: { name: 'Jane Doe', email: 'jane@example.com' },
      type: 'text',
      status: 'pending',
    } as const;
    const { count: postingsOfText } = unpaidPostings(() => new Date(0))('acme', { ...testimonial, tags: [] });
    const price = dollarsOf(1e6 * postingsOfText * (prices.readUnit + prices.writeUnit));
    expect([letters, count, amount]).toEqual([
      String([...text].length),
      String(postingsOfText),
      dollars(price),
    ]);
  },
);
