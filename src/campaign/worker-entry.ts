// What a worker process begins with: the worker, or one line that says why there is none.

import { couldNotBegin } from './could-not-begin.js';

try {
  await import('./worker.js');
} catch (error) {
  couldNotBegin(error);
}
