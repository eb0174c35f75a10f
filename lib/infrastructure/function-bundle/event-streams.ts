/** DynamoDB's API has no event streams. */
export {};
