// Where a run begins now: this machine, this version of Weft.

import { hostname } from 'node:os';
import type { RunPlace } from '../report/run-place.js';
import { weftVersion } from './version.js';

/** Called as a run begins, by whoever carries it out. */
export function placeNow(): RunPlace {
  return { host: hostname(), startedAt: new Date().toISOString(), weftVersion: weftVersion() };
}
