// Routes for a small InfiniBand fabric: OpenSM's ftree beside Weft's search, for the same random permutation, and the
// tables as OpenSM reads them.
//
//     node examples/library/compute-routes.mjs

import { writeForwardingTables } from '@weft-sim/weft/formats';
import { computeRoutes } from '@weft-sim/weft/routes';

const fabric = { family: 'fat-tree', parameters: { k: 8 } };
const problem = { fabric, traffic: 'random-permutation', seed: 1 };

const ftree = await computeRoutes({ ...problem, algorithm: 'ftree' });
// a limit in work and not in time: the same tables again, on any machine
const better = await computeRoutes({ ...problem, algorithm: 'weft', mostWork: 2_000_000 });

console.log(`${better.source.fabric.hosts.length} hosts, ${better.made.tables[0].switches.length} switches`);
for (const { algorithm, evaluation } of [ftree, better])
  console.log(
    `${algorithm.padEnd(5)} largest load ${evaluation.maxLoad}; no static routes are below ${evaluation.lowerBound}`,
  );
console.log(`entries changed: ${better.changedEntries}`);
for (const { name, ok, detail } of better.verdicts) console.log(`${ok ? 'ok' : 'FAILED'}: ${name}: ${detail}`);
console.log(writeForwardingTables(better.source, better.made.tables).split('\n').slice(0, 4).join('\n'));
