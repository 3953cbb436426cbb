// An allreduce on a fabric that is generated, written as a topology file and read again: its time by closed forms, as
// flows and as packets, and what NCCL's rules would choose.
//
//     node examples/library/time-collective.mjs

import { generateFabric } from '@weft-sim/weft';
import { timeCollective } from '@weft-sim/weft/collectives';
import { readTopology, writeTopology } from '@weft-sim/weft/formats';

const text = writeTopology(generateFabric('spectrum-x', { gpus: 16, gpusPerServer: 8 }));
console.log(`topology file: ${text.split('\n')[0]}`);

const { value: fabric, warnings } = readTopology(text, 'spectrum-x.topo');
for (const { message } of warnings) console.log(`warning: ${message}`);

for (const backend of ['analytical', 'fluid', 'packet']) {
  const { timePs, busBandwidth, choice } = await timeCollective(fabric, { kind: 'allreduce', size: '4MiB', backend });
  const how = `${choice.algorithm}, ${choice.protocol}, ${choice.channels} channels`;
  console.log(
    `${backend.padEnd(10)} ${(timePs / 1e6).toFixed(2)} us, bus ${(busBandwidth / 1e9).toFixed(1)} GB/s (${how})`,
  );
}
