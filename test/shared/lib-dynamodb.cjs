// The package that all suites of a worker share (test/dynamodb-environment.ts).
module.exports = globalThis.sharedPackage('@aws-sdk/lib-dynamodb');
