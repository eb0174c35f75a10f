import { availableParallelism } from 'node:os';

export default {
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript' },
          target: 'es2024',
          experimental: { keepImportAttributes: true },
        },
      },
    ],
  },
  // All suites of a worker share these packages (test/dynamodb-environment.ts).
  moduleNameMapper: { '^@aws-sdk/(client-dynamodb|lib-dynamodb)$': '<rootDir>/test/shared/$1.cjs' },
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  // They have commands of their own: npm run test:browser, test:long and test:faults.
  testPathIgnorePatterns: [
    '/node_modules/',
    ...['browser', 'long', 'faults'].map((each) => `<rootDir>/test/${each}/`),
  ],
  globalSetup: '<rootDir>/test/global-setup.ts',
  testEnvironment: '<rootDir>/test/dynamodb-environment.ts',
  // Some suites wait more than they work: two more at once than there are cores.
  maxWorkers: availableParallelism() + 2,
  // It only ends a test that hangs: a machine may be as busy as it likes.
  testTimeout: 600_000,
  coverageProvider: 'v8',
  collectCoverageFrom: ['functions/**/*.ts', 'lib/**/*.ts', '!**/*.d.ts'],
  coverageThreshold: { './functions/': { lines: 95 }, './lib/': { lines: 90 } },
  coverageReporters: ['text'],
};
