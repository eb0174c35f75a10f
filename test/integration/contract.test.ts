/** The contract, played on the handlers in this process; `npm run check` plays the same suites over HTTP. */
import { beforeAll, describe, test } from '@jest/globals';
import { suites } from '../contract/contract.ts';
import { type Organization, Service } from '../contract/organization.ts';
import { play, type Rule } from '../contract/suite.ts';
import { inProcess } from '../in-process.ts';

let service: Service;
beforeAll(async () => {
  service = new Service(await inProcess(), 'contract');
});

describe.each(suites)('$name:', ({ prepare, rules }) => {
  let organization: Organization;
  beforeAll(async () => {
    organization = await service.begin();
    await prepare?.(organization);
  });

  const add = (rule: Rule) => {
    const isHere = rule.needs === undefined || ['process', 'moderation'].includes(rule.needs);
    (isHere ? test : test.skip)(rule.name, async () => void (await play(rule, organization)));
  };
  for (const entry of rules) {
    if ('rules' in entry) describe(entry.name, () => entry.rules.forEach(add));
    else add(entry);
  }
});
