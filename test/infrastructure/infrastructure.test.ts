/** All tests of the infrastructure in one suite: to load the CDK, and to synthesize what many look at, takes longer than they do. */
import './bill.ts';
import './context.ts';
import './deployment.ts';
import './events.ts';
import './front-door.ts';
import './logged-metrics.ts';
import './optional-functions.ts';
import './stack.ts';
import './versions.ts';
