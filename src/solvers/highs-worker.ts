// The thread that HiGHS blocks: one programme in, progress and one solution out.

import { parentPort, workerData } from 'node:worker_threads';
import type { SolveLimits } from '../exact/linear-solver.js';
import { loadHighs, runHighs, type ProgramArrays } from './highs-run.js';

const { arrays, limits } = workerData as { arrays: ProgramArrays; limits: SolveLimits };
const solution = runHighs(await loadHighs(), arrays, limits, (progress) => { parentPort!.postMessage({ progress }, []); });
parentPort!.postMessage({ solution }, []);
