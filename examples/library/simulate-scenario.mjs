// A scenario and its trace, both texts in memory: simulated packet by packet, without a file and without a process.
//
//     node examples/library/simulate-scenario.mjs

import { flowTable, memoryHost, MemorySink, planFromText, rowsOf, simulate } from '@weft-sim/weft';

const scenario = `
name: two into one
fabric: { generate: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2 }
traffic: { trace: trace.csv }
`;
// nanoseconds, hosts, bytes
const trace = `timestamp_ns,src,dst,size_bytes
0,0,2,1000000
0,1,2,1000000
50000,3,0,4000
`;

const plan = await planFromText(scenario, { host: memoryHost({ 'trace.csv': trace }) });
const records = new MemorySink();
const run = await simulate(plan, { sink: records });

console.log(
  `${plan.name}: ${run.finished} of ${run.flows} flows ${run.outcome}, the last after ${run.simulatedPs / 1e6} us`,
);
for (const { source, destination, sizeBytes, startPs, finishPs } of rowsOf(records, flowTable))
  console.log(`  ${source} -> ${destination}  ${sizeBytes} B in ${(finishPs - startPs) / 1e6} us`);
console.log(`checks: ${run.verdicts.every(({ ok }) => ok) ? 'all passed' : 'FAILED'}`);
console.log(`digest: ${run.digest}`);
