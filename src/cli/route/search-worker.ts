// The thread of a search of routes: a request in, progress and tables out (search-thread.ts).

import { parentPort, workerData } from 'node:worker_threads';
import { SharedProof } from '../../optimization/best-search.js';
import { ForwardingTables } from '../../routing/forwarding-tables.js';
import { changesBetween } from '../../routing/table-changes.js';
import { searchNamed } from '../../app/routes/algorithms/catalogue.js';
import type { SearchMessage, SearchRequest } from './watched-search.js';
import { tablesFrom, trafficFrom } from './search-thread.js';

/** Wall-clock milliseconds between two messages. */
const reportEveryMs = 100;
/** the same between two tables: at least, and times what it took to make the last ones */
const tablesEveryMs = 200;
const tablesPerCost = 20;

const { algorithm, source, settings, traffic, current, begin, stop, place, proof } = workerData as SearchRequest;
const wallMs = (): number => performance.now();
const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
let nextMs = 0;
let nextTablesMs = 0;
let toldIncumbent = Infinity;
let startEntries: Uint8Array = new Uint8Array(0);
const startSeconds = cpuSeconds();
const {
  tables: [tables],
  ftree: _,
  ...rest
} = searchNamed(algorithm).make(
  source,
  {
    ...settings,
    traffic: trafficFrom(traffic),
    current: current === null ? null : [tablesFrom(source, current)],
    ...(begin === null ? {} : { begin: tablesFrom(source, begin) }),
  },
  {
    wallMs,
    stopRequested: () => Atomics.load(stop, 0) === 1,
    report: (state) => {
      const nowMs = wallMs();
      if (nowMs < nextMs) return;
      nextMs = nowMs + reportEveryMs;
      say({ state });
    },
    begun: (tables, ftree) => {
      const shared = inSharedMemory(tables);
      startEntries = shared.entries;
      say({ begun: shared.entries, ftree });
      return shared;
    },
    bettered: (incumbent, best) => {
      const fromMs = wallMs();
      if (incumbent >= toldIncumbent || fromMs < nextTablesMs) return;
      const tables = best();
      if (tables === null) return;
      say({ best: changesBetween(startEntries, tables.entries), incumbent });
      toldIncumbent = incumbent;
      const nowMs = wallMs();
      nextTablesMs = nowMs + Math.max(tablesEveryMs, tablesPerCost * (nowMs - fromMs));
    },
    rivals: { place, proof: new SharedProof(proof, place) },
  },
);
// the thread ends here: what it made is handed over, not copied
const { entries } = tables!;
const { buffer } = entries;
say(
  { result: { ...rest, entries, cpuSeconds: cpuSeconds() - startSeconds } },
  buffer instanceof ArrayBuffer ? [buffer] : [],
);

/** Tables with the same entries in memory that all threads see: large fabrics have tables of 100 MB. */
function inSharedMemory({ fabric, entries }: ForwardingTables): ForwardingTables {
  const shared = new Uint8Array(new SharedArrayBuffer(entries.length));
  shared.set(entries);
  return new ForwardingTables(fabric, shared);
}

function say(message: SearchMessage, handedOver: ArrayBuffer[] = []): void {
  parentPort!.postMessage(message, handedOver);
}
