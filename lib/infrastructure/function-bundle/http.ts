/**
 * Node's own module, not through an import of it: that evaluates all its properties, and one of them loads a whole
 * other HTTP client, which takes as long as half a bundle.
 */
const http = process.getBuiltinModule('node:http');

export const { Agent, request, STATUS_CODES } = http;
