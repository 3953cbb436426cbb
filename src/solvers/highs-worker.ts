// A thread that HiGHS blocks: one programme in after the other; progress, better solutions and at last the solution
// out.

import { parentPort } from 'node:worker_threads';
import { loadHighs, runHighs, type SolverMessage, type SolverTask } from './highs-run.js';

const highs = loadHighs();
const tell = (message: SolverMessage): void => {
  parentPort!.postMessage(message, []);
};

parentPort!.on('message', (task: SolverTask) => {
  void highs.then((loaded) => {
    tell({
      solution: runHighs(
        loaded,
        task.arrays,
        task.limits,
        (progress) => {
          tell({ progress });
        },
        (improved) => {
          tell({ improved });
        },
      ),
    });
  });
});
