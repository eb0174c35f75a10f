/** The contract, as far as it can be seen from outside: every check, in the order in which they are played. */
import type { Chapter } from '../deployment.ts';
import { access } from './access.ts';
import { clients, many } from './clients.ts';
import { cors } from './cors.ts';
import { creating } from './creating.ts';
import { erasure } from './erasure.ts';
import type { EveryAnswer } from './every-answer.ts';
import { limits } from './limits.ts';
import { following, followingChanges, verified } from './list-index.ts';
import { listing } from './lists.ts';
import { moderation } from './moderation.ts';
import { parameters } from './parameters.ts';
import { published } from './published.ts';

/** @param withCors whether there is an origin to call from */
export function contractOf(everyAnswer: EveryAnswer, withCors: boolean): Chapter[] {
  return [
    { heading: 'Access', checks: access },
    { heading: 'Create', checks: creating },
    { heading: 'Parameters of a list', checks: parameters },
    { heading: 'Clients', checks: clients },
    { heading: 'Lists of what waits beside the index', checks: listing },
    { heading: 'Many testimonials', checks: [many, following] },
    { heading: 'Lists from the index', checks: listing },
    { heading: 'Changes by the operator', checks: [...moderation, followingChanges] },
    { heading: 'Published lists', checks: published },
    { heading: 'Erasure', checks: erasure },
    { heading: 'Lists after changes and an erasure', checks: [...listing, verified] },
    { heading: 'Limits', checks: limits },
    ...(withCors ? [{ heading: 'CORS', checks: cors }] : []),
    { heading: 'Every answer of a function', checks: everyAnswer.checks },
  ];
}
