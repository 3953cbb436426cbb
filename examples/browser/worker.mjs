// The worker: computes, and tells the page how far it is and what came of it.

import { routes, simulation } from './problem.mjs';

const abilities = {
  wallMs: () => performance.now(),
  // lets messages in, such as one that asks to stop
  breathe: () => new Promise((resolve) => setTimeout(resolve, 0)),
};

try {
  const run = await simulation(abilities, (fraction) => postMessage({ fraction }));
  postMessage({ run });
  postMessage({ routes: await routes(), done: true });
} catch (error) {
  postMessage({ error: String(error?.stack ?? error) });
}
