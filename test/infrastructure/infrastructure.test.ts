/**
 * All tests of the infrastructure in one suite, because loading the CDK and synthesizing takes longer than
 * the tests.
 */
import './backups.ts';
import './bill.ts';
import './context.ts';
import './deployment.ts';
import './events.ts';
import './front-door.ts';
import './logged-metrics.ts';
import './operator-policies.ts';
import './optional-functions.ts';
import './outside.ts';
import './stack.ts';
import './stages.ts';
