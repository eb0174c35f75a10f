/** Rules for stores of pages. */
import assert from 'node:assert/strict';
import type { PageStore } from '../../functions/accounts/page-store.ts';
import type { Page } from '../../functions/domain/page.ts';
import { rule } from './case.ts';

const pageOf = (organization: string, n: number, more: Partial<Page> = {}): Page => ({
  id: `${organization}-page-${n}`,
  organization,
  kind: 'form',
  title: `Page ${n}`,
  settings: { lang: 'de' },
  createdAt: `2026-01-${10 + n}T10:00:00.000Z`,
  ...more,
});

const pageRule = rule<{ pages: PageStore }>;

export const pageStoreCases = [
  pageRule('a page is found by its address and listed by its organization', async ({ pages }, org) => {
    const page = pageOf(org, 1, { settings: { intro: '', texts: '{"send":"Absenden 👍"}' } });
    assert.equal(await pages.find(page.id), undefined);
    assert.deepEqual(await pages.list(org), []);
    await pages.add(page);
    assert.deepEqual(await pages.find(page.id), page);
    assert.deepEqual(await pages.list(org), [page]);
    assert.deepEqual(await pages.list(`${org}-other`), []);
  }),
  pageRule('pages are listed oldest first, more of them than one read returns', async ({ pages }, org) => {
    const many = Array.from({ length: 120 }, (_, n) =>
      pageOf(org, n, { kind: 'wall', createdAt: new Date(2026, 0, 1, 0, n).toISOString() }),
    );
    for (const page of many.toReversed()) await pages.add(page);
    assert.deepEqual(await pages.list(org), many);
  }),
  pageRule('a repeated add succeeds, and another page never takes the address', async ({ pages }, org) => {
    const page = pageOf(org, 1);
    await pages.add(page);
    await pages.add(page);
    await assert.rejects(pages.add(pageOf(`${org}-other`, 2, { id: page.id })));
    await assert.rejects(pages.add(pageOf(org, 2, { id: page.id })));
    assert.deepEqual(await pages.find(page.id), page);
    assert.deepEqual(await pages.list(org), [page]);
    assert.deepEqual(await pages.list(`${org}-other`), []);
  }),
  pageRule('an edit replaces the title and the settings, and nothing else', async ({ pages }, org) => {
    const page = pageOf(org, 1);
    await pages.add(page);
    const edited = { title: 'New', settings: { thanks: 'Thanks' } };
    assert.equal(await pages.replace({ ...page, ...edited, kind: 'wall', createdAt: '2027' }, page), true);
    assert.deepEqual(await pages.find(page.id), { ...page, ...edited });
  }),
  pageRule('an edit does not replace pins that it has not seen', async ({ pages }, org) => {
    const page = pageOf(org, 1, { kind: 'wall' });
    const pinning = (pinned: string) => ({ ...page, settings: { pinned } });
    await pages.add(page);
    assert.equal(await pages.replace(pinning('test_1'), pinning('test_2')), false);
    assert.equal(await pages.replace(pinning('test_1'), page), true);
    assert.equal(await pages.replace({ ...page, title: 'New' }, page), false);
    assert.equal(await pages.replace(pinning('test_1,test_2'), pinning('test_1')), true);
    assert.deepEqual(await pages.find(page.id), pinning('test_1,test_2'));
    assert.equal(await pages.replace(page, pinning('test_1,test_2')), true);
    assert.deepEqual(await pages.find(page.id), page);
  }),
  pageRule('an edit does not bring a removed page back', async ({ pages }, org) => {
    const page = pageOf(org, 1);
    await pages.add(page);
    assert.equal(await pages.remove(page), true);
    assert.equal(await pages.replace(page, page), false);
    assert.equal(await pages.find(page.id), undefined);
    assert.deepEqual(await pages.list(org), []);
    assert.equal(await pages.remove(page), false);
  }),
  pageRule('no organization removes the page of another', async ({ pages }, org) => {
    const page = pageOf(org, 1);
    await pages.add(page);
    assert.equal(await pages.remove({ id: page.id, organization: `${org}-other` }), false);
    assert.deepEqual(await pages.find(page.id), page);
    assert.deepEqual(await pages.list(org), [page]);
  }),
];
