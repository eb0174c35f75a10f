/** A real Chromium, where one is installed. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe } from '@jest/globals';
import { type Browser, chromium, type Page } from 'playwright-core';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);
if (!executablePath) console.warn('No Chromium is installed here: the tests in a browser are skipped');

/** Tests that need a browser; skipped where none is installed. */
export const describeInBrowser = executablePath ? describe : describe.skip;

export function launchBrowser(): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'];
  return chromium.launch({
    ...(executablePath && { executablePath }),
    args: [...args, '--disable-component-update', '--no-first-run'],
  });
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds wrong on a page, each rule with its first place. */
export async function axeFindings(page: Page, impacts = ['serious', 'critical']): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() =>
    // Injected above.
    (globalThis as unknown as { axe: typeof import('axe-core') }).axe.run({ exclude: [] }),
  );
  return violations
    .filter(({ impact }) => impacts.includes(impact ?? ''))
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.target.join(' ')} ${nodes[0]?.any[0]?.message ?? ''}`);
}
