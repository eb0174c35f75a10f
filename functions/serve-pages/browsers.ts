/**
 * The oldest browsers that forms, walls, the live elements and the desk support. Builds and tests read it; no
 * Lambda function does.
 */
import { getCompatibleVersions } from 'baseline-browser-mapping';

/**
 * Browsers of this year have all features that were in all of them by its end
 * (https://web-platform-dx.github.io/web-features/).
 */
export const baselineYear = 2023;

// The year is over, so newer data does not change its browsers.
const versions = getCompatibleVersions({ targetYear: baselineYear, suppressWarnings: true });

/** The first version of each browser, by the names that MDN's compatibility data uses. */
export const oldestBrowsers: Readonly<Record<string, string>> = Object.fromEntries(
  versions.map(({ browser, version }) => [browser, version]),
);

const { chrome, edge, firefox, safari, safari_ios } = oldestBrowsers;

/** The targets of esbuild. */
export const scriptTarget = [`chrome${chrome}`, `edge${edge}`, `firefox${firefox}`, `safari${safari}`];

/** The targets of Lightning CSS: 17.2 is 0x110200. */
const encoded = (version = '0') => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return (major << 16) | (minor << 8);
};
export const styleTargets = {
  chrome: encoded(chrome),
  edge: encoded(edge),
  firefox: encoded(firefox),
  safari: encoded(safari),
  ios_saf: encoded(safari_ios),
};
