/** The page for files in a browser: reads a file in its worker, and imports it through a bad network. */
import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Table } from '../../functions/dynamodb/table.ts';
import { openIndexUpdates } from '../../functions/testimonials/index-updates.ts';
import type { LoadRecord } from '../../functions/testimonials/load/load-record.ts';
import { loadStore } from '../../functions/testimonials/table/load-store.ts';
import { workbook } from '../files-of-tools/workbook.ts';
import { actAs } from '../iam/acting.ts';
import { createTestTable } from '../test-table.ts';
import { describeInBrowser, expectAccessible, newPage, phone, watchedPages } from './browser.ts';
import { type ServedDesk, serveDesk } from './served-desk.ts';

describeInBrowser('the page for files', () => {
  let desk: ServedDesk;
  let table: Table;
  const watched = watchedPages();
  beforeAll(async () => {
    table = await createTestTable();
    const updates = openIndexUpdates(table);
    // The index function runs beside the desk.
    desk = await serveDesk(table, {
      before: () =>
        actAs('IndexTestimonials', () => updates.update('acme', { until: Date.now() + 10_000, sharedBy: 1 })),
    });
  });

  const open = async (inPage = watched) => {
    // A place where a day of a file, which begins in UTC, is still the day before.
    const options = { viewport: phone.viewport, timezoneId: 'America/New_York' };
    const { page, wrong } = await desk.open('files', options, inPage);
    await page.locator('#file').waitFor();
    return { page, wrong };
  };
  const choose = (page: Page, name: string, bytes: Uint8Array | string) =>
    page.locator('#file').setInputFiles({ name, mimeType: '', buffer: Buffer.from(bytes) });

  test('a manager with a phone imports 300 reviews from Excel, although the network fails', async () => {
    const { page, wrong } = await open(newPage);
    await expectAccessible(page);
    const rows = Array.from({ length: 300 }, (_, i) => [
      { day: new Date(Date.UTC(2023, 0, 1 + i)).toISOString().slice(0, 10) },
      `Ann Doe ${i}`,
      `ann${i}@example.org`,
      1 + (i % 5),
      `Workshop ${i} changed how we plan our weeks.`,
    ]);
    const bytes = workbook({ Reviews: [['Date', 'Name', 'E-mail', 'Stars', 'Review'], ...rows] });
    await choose(page, 'reviews.xlsx', bytes);
    const button = page.getByRole('button', { name: 'Import 300 testimonials' });
    await button.waitFor();
    expect(await page.locator('.import-preview').textContent()).toContain('Jan 1, 2023');
    await expectAccessible(page);
    await page.getByText('Change columns and formats', { exact: true }).click();
    await expectAccessible(page);
    let steps = 0;
    await page.route('**/desk/files/step*', async (route) => {
      steps += 1;
      if (steps === 1 || steps === 3) return route.abort();
      // The desk has done its work, but nobody hears of it.
      if (steps === 2) await route.fetch();
      return steps === 2 ? route.abort() : route.continue();
    });
    await button.click();
    await page.getByText('There is no connection to the desk').waitFor();
    await page.getByText('300 testimonials imported into acme.').waitFor({ timeout: 120_000 });
    expect(steps).toBeGreaterThan(3);
    await page.getByRole('link', { name: 'View the list' }).click();
    await page.getByText('300 testimonials').waitFor();
    expect(wrong.filter((each) => !each.includes('net::ERR_FAILED'))).toEqual([]);
  });

  test('a file is dropped, rejected lines and exports come back as files', async () => {
    const { page } = await open();
    const text =
      'Name,E-mail,Review\nBo,bo@example.org,"It was fine for us."\nCy,nobody,"It was fine as well."';
    const dataTransfer = await page.evaluateHandle(
      `const moved = new DataTransfer(); moved.items.add(new File([${JSON.stringify(text)}], 'two.csv')); moved`,
    );
    await page.dispatchEvent('body', 'drop', { dataTransfer });
    await page.getByText('two.csv was checked. Nothing is stored yet.').waitFor();
    // Nothing competes with the decision.
    const exportButton = page.getByRole('button', { name: 'Export' });
    expect(await exportButton.isVisible()).toBe(false);
    const [rejected] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the rejected rows' }).click(),
    ]);
    expect(rejected.suggestedFilename()).toBe('two.csv.rejected.csv');
    // The choice keeps the focus, although the file is checked again.
    await page.getByText('are approved right away').click();
    await page.locator('.import-preview').getByText('Approved').waitFor();
    expect(await page.getByLabel('are approved right away').isChecked()).toBe(true);
    expect(await page.evaluate('document.activeElement.id')).toBe('approve');
    await page.getByRole('button', { name: 'Import 1 testimonial' }).click();
    await page.getByText('1 testimonial imported into acme.').waitFor({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('1 testimonial imported.').waitFor();
    const [exported] = await Promise.all([page.waitForEvent('download'), exportButton.click()]);
    expect(exported.suggestedFilename()).toMatch(/^acme-[\d-]+\.csv$/);
    await page.getByText(/exported to acme-/).waitFor();
    // Longer than it takes until an element would be marked as busy.
    await page.waitForTimeout(500);
    expect(await page.locator('[aria-busy="true"]').count()).toBe(0);
  });

  test('letters typed while the columns are read again stay', async () => {
    const { page } = await open();
    await choose(page, 'typed.csv', 'Name,E-mail,Review\nBo,bo@example.org,"It was fine for us."');
    await page.getByText('Change columns and formats', { exact: true }).click();
    await page.locator('#column-rating').selectOption({ index: 1 });
    const value = page.locator('[id="value-author.company"]');
    await value.pressSequentially('Anonymous Ltd', { delay: 60 });
    await page.getByRole('button', { name: 'Check the file' }).waitFor();
    expect(await value.inputValue()).toBe('Anonymous Ltd');
  });

  test('a file that is read while an undo is shown ends, and the page can import again', async () => {
    const { page } = await open(newPage);
    await choose(page, 'first.csv', 'Name,E-mail,Review\nEd,ed@example.org,"It was good for us."');
    await page.getByRole('button', { name: 'Import 1 testimonial' }).click();
    await page.getByRole('button', { name: 'Done' }).click({ timeout: 60_000 });
    await page.locator('#file').waitFor();
    // Its steps wait for an answer.
    await page.route('**/desk/files/step*', () => {});
    await choose(page, 'second.csv', 'Name,E-mail,Review\nFay,fay@example.org,"It was good for me."');
    await page.getByRole('button', { name: 'Undo import…' }).first().click();
    await page.getByText('will be erased for good.').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Keep the testimonials' }).click();
    await page.unroute('**/desk/files/step*');
    await page.locator('#file').waitFor();
    await choose(page, 'third.csv', 'Name,E-mail,Review\nGus,gus@example.org,"It was good for all."');
    await page.getByRole('button', { name: 'Import 1 testimonial' }).waitFor();
  });

  test('the list of imports keeps the focus when it is shown again', async () => {
    const { page } = await open(newPage);
    await choose(page, 'focus.csv', 'Name,E-mail,Review\nHal,hal@example.org,"It was good for us."');
    await page.getByRole('button', { name: 'Import 1 testimonial' }).click();
    await page.getByText('1 testimonial imported into acme.').waitFor({ timeout: 60_000 });
    const store = loadStore(table);
    const [load] = await store.all('acme');
    const claimedUntil = new Date(Date.now() + 60_000).toISOString();
    if (load)
      await store.replace('acme', load.name, {
        ...load.record,
        state: 'storing',
        claimedUntil,
      } as LoadRecord);
    await page.goto(`${desk.url}/desk/files`);
    const button = page.locator('#imports button').last();
    await button.focus();
    const old = await button.elementHandle();
    await page.waitForFunction((element) => !(element as { isConnected: boolean }).isConnected, old);
    const focused = await page.evaluate('document.activeElement.id');
    expect(focused).toBe(await button.getAttribute('id'));
  });

  test('a file is read after any number of others that took too long', async () => {
    const { page } = await open(newPage);
    const text = 'Name,E-mail,Review\nIan,ian@example.org,"It was good for us."';
    await page.clock.install();
    // The worker starts, and never answers about a file.
    await page.evaluate(`const { postMessage } = Worker.prototype;
      Worker.prototype.postMessage = function (message) {
        if (message.kind !== 'open' || message.file.name === 'quick.csv') postMessage.call(this, message);
      };`);
    for (let i = 0; i < 6; i += 1) {
      await choose(page, 'slow.csv', text);
      await page.clock.fastForward(11_000);
      await page.getByText('takes too long to read').waitFor();
    }
    await choose(page, 'quick.csv', text);
    await page.getByRole('button', { name: 'Import 1 testimonial' }).waitFor();
  });

  const wide = `${'a,'.repeat(1_000_000)}a\n${'1,'.repeat(900_000)}1`;
  const formulas =
    'Name,E-mail,Review\n"<img src=x onerror=alert(1)>",a@example.org,"<b>Bold</b> and =1+1 is fine."\n"=HYPERLINK(1)",b@example.org,"+1 for all of you, thanks."';
  test.each([
    ['a million columns', 'wide.csv', wide, /longer than a megabyte|too long to read/],
    ['HTML and formulas', 'html.csv', formulas, 'html.csv was checked.'],
  ])('%s end in a sentence, and the page goes on', async (_, name, content, sentence) => {
    const { page } = await open();
    await choose(page, name, content);
    await page.locator('#import').getByText(sentence).first().waitFor({ timeout: 60_000 });
    expect(await page.locator('#import img').count()).toBe(0);
    await choose(page, 'good.csv', 'Name,E-mail,Review\nDi,di@example.org,"It was fine for us."');
    await page.getByRole('button', { name: 'Import 1 testimonial' }).waitFor();
  });
});
