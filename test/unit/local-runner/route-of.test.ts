import { describe, expect, test } from '@jest/globals';
import { routeOf } from '../../../lib/local-runner/gateway-event.ts';

const routes = [
  'GET /things',
  'GET /things/{id}',
  'GET /things/new',
  'PATCH /things/{id}/parts/{part}',
  'ANY /pages',
  'ANY /pages/{page+}',
  'GET /pages/own',
  'ANY /both',
  'GET /both',
  '$default',
];

describe('the route of', () => {
  test.each([
    ['GET /things', { routeKey: 'GET /things' }],
    ['GET /things/7', { routeKey: 'GET /things/{id}', pathParameters: { id: '7' } }],
    ['GET /things/new', { routeKey: 'GET /things/new' }],
    ['GET /things/a%2Fb%20c', { routeKey: 'GET /things/{id}', pathParameters: { id: 'a/b c' } }],
    ['GET /things/%zz', { routeKey: 'GET /things/{id}', pathParameters: { id: '%zz' } }],
    [
      'PATCH /things/7/parts/8',
      { routeKey: 'PATCH /things/{id}/parts/{part}', pathParameters: { id: '7', part: '8' } },
    ],
    ['PUT /pages', { routeKey: 'ANY /pages' }],
    ['GET /pages/own', { routeKey: 'GET /pages/own' }],
    ['GET /both', { routeKey: 'GET /both' }],
    ['POST /both', { routeKey: 'ANY /both' }],
    ['POST /pages/own', { routeKey: 'ANY /pages/{page+}', pathParameters: { page: 'own' } }],
    ['GET /pages/a/b%20c', { routeKey: 'ANY /pages/{page+}', pathParameters: { page: 'a/b c' } }],
  ])('%s', (request, route) => expect(routeOf(routes, request)).toEqual(route));

  test.each([
    'POST /things',
    'GET /things/',
    'GET /things/7/',
    'GET /things/7/parts',
    'PATCH /things/7',
    'GET /',
    'GET /pages/',
  ])('%s has no route', (request) => expect(routeOf(routes, request)).toBeUndefined());
});
