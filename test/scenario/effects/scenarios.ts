// The small scenarios in which settings show what they do. Each run takes a few milliseconds.

type Transfer = readonly [source: number, destination: number, size: string];

function scenario(fabric: string, transfers: readonly Transfer[], rest = ''): string {
  const lines = transfers.map(
    ([source, destination, size]) => `    - { source: ${source}, destination: ${destination}, size: ${size} }\n`,
  );
  return `fabric: { ${fabric} }\ntraffic:\n  transfers:\n${lines.join('')}${rest}`;
}

/** A long flow and a short one into one host: marks come at the beginning, and then the long flow recovers alone. */
export const burst = scenario(
  'generate: dumbbell, leftHosts: 2, rightHosts: 1',
  [
    [0, 2, '4MB'],
    [1, 2, '200kB'],
  ],
  `
queuePair: { window: unlimited }
ecn: { thresholds: [ { rate: 100Gbps, minimum: 20kB, maximum: 60kB, probability: 0.2 } ] }
`,
);

/** The same with several losses of rate and quick increases. */
export const quickBurst = `${burst}dcqcn: { increaseInterval: 50us }\n`;

/** Four senders into one host, through a buffer that PFC must guard. */
export const pressure = scenario(
  'generate: dumbbell, leftHosts: 4, rightHosts: 1',
  [
    [0, 4, '300kB'],
    [1, 4, '300kB'],
    [2, 4, '300kB'],
    [3, 4, '300kB'],
  ],
  `
ecn: { enabled: false }
switch: { buffer: 400kB }
`,
);

/** Three senders into one host, and what the first of them has for another. */
export const besideIncast = scenario(
  'generate: leaf-spine, leaves: 1, spines: 1, hostsPerLeaf: 5',
  [
    [0, 3, '500kB'],
    [1, 3, '500kB'],
    [2, 3, '500kB'],
    [0, 4, '500kB'],
  ],
  `
ecn: { enabled: false }
queuePair: { window: unlimited }
`,
);

/** Two senders into a host that sends, too: its acknowledgements meet their data. */
export const crossed = scenario(
  'generate: dumbbell, leftHosts: 2, rightHosts: 1',
  [
    [0, 2, '1MB'],
    [1, 2, '1MB'],
    [2, 0, '300kB'],
  ],
  'ecn: { enabled: false }\n',
);

/** Two flows from leaf 4 to leaf 5 that the hash puts on spine 7, although spine 6 is free. */
export const collision = scenario(
  'generate: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2',
  [
    [0, 2, '1MB'],
    [1, 3, '1MB'],
  ],
  'queuePair: { retransmissionTimeout: 40us }\n',
);

/** Five flows of three packets each over eight spines. */
export const brief = scenario(
  'generate: leaf-spine, leaves: 2, spines: 8, hostsPerLeaf: 5',
  [0, 1, 2, 3, 4].map((host): [number, number, string] => [host, host + 5, '3kB']),
);

/** Five flows over two spines: the hash puts four on one of them. */
export const crowded = scenario(
  'generate: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 5',
  [0, 1, 2, 3, 4].map((host): [number, number, string] => [host, host + 5, '1MB']),
);

/** Three flows over four spines. */
export const spared = scenario(
  'generate: leaf-spine, leaves: 2, spines: 4, hostsPerLeaf: 4',
  [0, 1, 2].map((host): [number, number, string] => [host, host + 4, '1MB']),
  'queuePair: { retransmissionTimeout: 40us }\n',
);

/** Sixteen flows over sixteen spines, one after the other. */
export const staggered = `fabric: { generate: leaf-spine, leaves: 2, spines: 16, hostsPerLeaf: 16 }
traffic:
  transfers:
${Array.from({ length: 16 }, (_, i) => `    - { source: ${i}, destination: ${16 + i}, size: 2MB, start: ${10 * i}us }`).join('\n')}
`;

/** Twelve flows over four spines, of a leaf to another, that begin 5 us apart, and twelve shorter ones back. */
export const weaving = `fabric: { generate: leaf-spine, leaves: 2, spines: 4, hostsPerLeaf: 12 }
traffic:
  transfers:
${Array.from({ length: 12 }, (_, i) => `    - { source: ${i}, destination: ${12 + i}, size: 2MB, start: ${5 * i}us }\n    - { source: ${12 + i}, destination: ${i}, size: 1MB, start: ${5 * i}us }`).join('\n')}
queuePair: { acknowledgementPriority: 0 }
ecn: { thresholds: [ { rate: 100Gbps, minimum: 100kB, maximum: 400kB, probability: 0.2 } ] }
`;

/** Two flows below one leaf of a fabric whose longest paths have four links. */
export const neighbours = scenario('generate: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 3', [
  [0, 2, '1MB'],
  [1, 2, '1MB'],
]);

/** A flow whose hash puts it on the first of two planes, each with a NIC of its own. */
export const planes = scenario(
  'generate: alibaba-hpn, dualPlane: true, gpus: 4, gpusPerServer: 1, nvswitchesPerServer: 0, nicsPerAsw: 2, pswSwitches: 2, bandwidth: 100Gbps, aswPswBandwidth: 100Gbps',
  [[0, 2, '1MB']],
  'queuePair: { retransmissionTimeout: 40us }\n',
);

/** The same flow in a trace. */
export const planeTrace = planes.replace(/traffic:\n(.*\n)*?(?=queuePair)/, 'traffic: { trace: planes.csv }\n');

/** Two prefill instances and one of decode, two GPUs each, on four servers of two planes; two requests. */
export const serving = `fabric: { generate: alibaba-hpn, dualPlane: true, gpus: 8, gpusPerServer: 2, nicsPerAsw: 4, pswSwitches: 2, bandwidth: 100Gbps, aswPswBandwidth: 100Gbps, gpuType: NONE }
inference: { prefill: 0-3, decode: 4-7, model: llama2-7b, tensorParallel: 2, requests: 3, arrivals: fixed, interval: 10us, promptTokens: 4, outputTokens: 5, prefillTime: 20us, decodeStepTime: 10us }
`;

/** An allreduce of two of four hosts, behind a computation of 100 us. */
export const training = `fabric: { generate: leaf-spine, leaves: 1, spines: 1, hostsPerLeaf: 4 }
workload: { ranks: 0-1, layers: [ { name: a, forward: { compute: 100us, collective: allreduce, group: dp, size: 1MB } } ] }
`;

/**
 * Eight iterations of a job on two ranks; a straggler is 100 us late in one layer and 101, 102 in the others, so that no
 * two phases of an iteration are alike.
 */
export const repeating = `fabric: { generate: leaf-spine, leaves: 1, spines: 1, hostsPerLeaf: 4 }
workload:
  ranks: 0-1
  iterations: 8
  layers:
    - { name: a, forward: { compute: 100us, collective: allreduce, group: dp, size: 1MB } }
    - { name: b, forward: { compute: 101us, collective: allreduce, group: dp, size: 1MB } }
    - { name: c, forward: { compute: 102us, collective: allreduce, group: dp, size: 1MB } }
stragglers: [ { rank: 1, compute: 0.5 } ]
`;

/** Two flows over links that lose packets. */
export const lossy = scenario(
  'generate: dumbbell, leftHosts: 2, rightHosts: 2, errorRate: 0.05',
  [
    [0, 2, '300kB'],
    [1, 3, '300kB'],
  ],
  'queuePair: { retransmissionTimeout: 100us }\n',
);

/** Three flows over two bottlenecks: the first crosses both. */
export const twoBottlenecks = scenario('generate: dumbbell, leftHosts: 2, rightHosts: 2', [
  [0, 2, '2MB'],
  [1, 3, '1MB'],
  [3, 2, '1MB'],
]);

/** A workload of one collective on two servers of eight GPUs. */
export const collective = (kind: string, group: string, size: string, profile = 'document'): string => `
fabric: { generate: dcn+, gpus: 16, nicsPerAsw: 8, gpuType: H100, nvswitchesPerServer: 1 }
workload: { tensorParallel: 8, layers: [ { name: exchange, forward: { compute: 10us, collective: ${kind}, group: ${group}, size: ${size} } } ] }
collectives: { profile: ${profile} }
`;
