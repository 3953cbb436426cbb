// Where a run begins now: this machine, this version of Weft.

import { hostname } from 'node:os';
import type { RunPlace } from '../report/run-place.js';
import { weftVersion } from './version.js';

/** One for all runs of a process: the version is in a file. */
export class PlaceNow {
  private readonly here = { host: hostname(), weftVersion: weftVersion() };

  /** Called as a run begins, by whoever carries it out. */
  get place(): RunPlace {
    const { host, weftVersion: version } = this.here;
    return { host, startedAt: new Date().toISOString(), weftVersion: version };
  }
}
