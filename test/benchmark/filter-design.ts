/**
 * The usual design on DynamoDB: a Query of the sort's secondary index with a filter expression. It reads
 * every row that the filter drops, and reads to the end to count.
 */
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type ListQuery, matcherOf } from '../../functions/domain/list-query.ts';
import type { Testimonial } from '../../functions/domain/testimonial.ts';
import { costMeter } from '../../functions/dynamodb/cost-meter.ts';
import { organizationPartition, secondaryIndexes, statusPartition } from '../../functions/dynamodb/keys.ts';
import { toStoredTestimonial } from '../../functions/testimonials/table/stored-testimonials.ts';
import { type BenchDynamoDb, organization } from './dynamodb.ts';

export type FilterDesign = ReturnType<typeof filterDesign>;

export function filterDesign(database: BenchDynamoDb) {
  const { client, name: TableName } = database.open();
  const meter = costMeter(client);
  return {
    cost: meter.cost,
    async list({ filter, sort, order, page, limit }: ListQuery) {
      meter.reset();
      const { type, rating, tags = [], search } = filter;
      const status = filter.status === 'all' ? undefined : filter.status;
      const index = (status ? secondaryIndexes.status : secondaryIndexes.organization)[sort];
      const values: Record<string, unknown> = {
        ':partition': status ? statusPartition(organization, status) : organizationPartition(organization),
        ...(type && { ':type': type }),
        ...(rating !== undefined && { ':rating': rating }),
        ...Object.fromEntries(tags.map((tag, i) => [`:tag${i}`, tag])),
      };
      const conditions = [
        ...(type ? ['#fields.#type = :type'] : []),
        ...(rating === undefined ? [] : ['#fields.#rating >= :rating']),
        ...(tags.length === 0
          ? []
          : [`(${tags.map((_, i) => `contains(#fields.#tags, :tag${i})`).join(' OR ')})`]),
      ];
      const names = {
        '#partition': index.partition,
        '#fields': 'fields',
        '#type': 'type',
        '#rating': 'rating',
        '#tags': 'tags',
      };
      const used = Object.entries(names).filter(([name]) =>
        ['#partition', ...conditions].join(' ').includes(name),
      );
      // DynamoDB compares exact letters only, so the function compares words. The units are the same.
      const matches: (testimonial: Testimonial) => boolean =
        search === undefined ? () => true : matcherOf({ search });
      const first = (page - 1) * limit;
      const ids: string[] = [];
      let total = 0;
      let ExclusiveStartKey: Record<string, unknown> | undefined;
      do {
        const response = await client.send(
          new QueryCommand({
            TableName,
            IndexName: index.name,
            KeyConditionExpression: '#partition = :partition',
            ...(conditions.length > 0 && { FilterExpression: conditions.join(' AND ') }),
            ExpressionAttributeNames: Object.fromEntries(used),
            ExpressionAttributeValues: values,
            ScanIndexForward: order === 'asc',
            ...(ExclusiveStartKey && { ExclusiveStartKey }),
          }),
        );
        for (const { testimonial } of (response.Items ?? []).flatMap(toStoredTestimonial)) {
          if (!matches(testimonial)) continue;
          if (total >= first && ids.length < limit) ids.push(testimonial.id);
          total += 1;
        }
        ExclusiveStartKey = response.LastEvaluatedKey;
      } while (ExclusiveStartKey);
      return { ids, total };
    },
  };
}
