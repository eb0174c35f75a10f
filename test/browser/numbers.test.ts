/** The page “Numbers” in a browser. */
import { beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { adminOf } from '../admin.ts';
import { someOf } from '../some-of.ts';
import { createTestTable } from '../test-table.ts';
import { describeInBrowser, expectSound, launchBrowser, looks, watchedPages } from './browser.ts';
import { type ServedDesk, serveDesk } from './served-desk.ts';

describeInBrowser('the page “Numbers”', () => {
  let browser: Browser;
  let desk: ServedDesk;
  const newPage = watchedPages();
  beforeAll(async () => {
    browser = await launchBrowser();
    const table = await createTestTable();
    await adminOf(table)('seed', '--organization', 'acme', '--count', '600');
    desk = await serveDesk(table);
  });

  test.each(someOf([...looks, [320, 'light']] as const))(
    'at %i pixels in %s its bars stand for the figures, and nothing is cut',
    async (width, colorScheme) => {
      const { url } = desk;
      const viewport = { width, height: 844 };
      const { page } = await newPage(browser, (asked) => asked.startsWith(`${url}/`), {
        viewport,
        colorScheme,
      });
      await desk.signIn(page.context());
      await page.goto(`${url}/desk/numbers`);
      await expectSound(page);
      // The lengths of the bars on the axis that the page uses at this width, and their counts.
      const isColumns = width >= 640;
      const bars = await page.locator('.columns .bar').evaluateAll((each, isColumns) => {
        return each.map((bar) => ({
          count: Number(bar.textContent),
          length: [...bar.querySelectorAll('svg')]
            .map((part) => part.getBoundingClientRect()[isColumns ? 'height' : 'width'])
            .reduce((sum, part) => sum + part, 0),
          isInside: bar.scrollWidth <= bar.clientWidth && bar.scrollHeight <= bar.clientHeight,
        }));
      }, isColumns);
      expect(bars).toHaveLength(12);
      const { count: most, length: longest } = bars.toSorted((a, b) => b.count - a.count)[0] ?? {
        count: 0,
        length: 0,
      };
      expect(longest).toBeGreaterThan(100);
      for (const { count, length, isInside } of bars) {
        expect(Math.abs(length - (longest * count) / most)).toBeLessThan(1);
        expect(isInside).toBe(true);
      }
      await page.getByText('Tables', { exact: true }).click();
      await page.getByRole('table').first().waitFor();
      await expectSound(page);
    },
  );
});
