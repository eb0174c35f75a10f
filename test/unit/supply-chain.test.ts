/** Checks whose code runs during installation and builds. */
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';

interface Lock {
  packages: Record<string, { hasInstallScript?: true }>;
}

test('every package with an install script is named in allowScripts, and no other', () => {
  const { packages }: Lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const { allowScripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const withScript = Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.replace(/^.*node_modules\//, ''));
  expect(Object.keys(allowScripts).sort()).toEqual([...new Set(withScript)].sort());
});

test('Dependabot proposes newer actions and packages', () => {
  const text = readFileSync('.github/dependabot.yml', 'utf8');
  expect([...text.matchAll(/package-ecosystem: (.*)$/gm)].map(([, name]) => name)).toEqual([
    'github-actions',
    'npm',
  ]);
});

/** As of November 2026. Dependabot proposes the next one. */
const currentMajors = {
  'actions/checkout': 7,
  'actions/setup-node': 7,
  'aws-actions/configure-aws-credentials': 6,
};

describe.each(globSync('.github/workflows/*.yml'))('%s', (file) => {
  const text = readFileSync(file, 'utf8');

  test('pins every external action by a digest, with its version', () => {
    const used = [...text.matchAll(/uses: (.*)$/gm)].map(([, action = '']) => action);
    expect(used).not.toEqual([]);
    for (const action of used) {
      expect(action).toMatch(/^(\.\/.*|[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/);
    }
  });

  test('uses the current major version of each action', () => {
    const majors = new Map(Object.entries(currentMajors));
    for (const [, action = '', major] of text.matchAll(/uses: ([\w-]+\/[\w-]+)@\S+ # v(\d+)/g))
      expect([action, Number(major)]).toEqual([action, majors.get(action)]);
  });

  test('may only read the repository by default', () => {
    expect(text).toMatch(/^permissions:\n {2}contents: read\n$/m);
  });
});
