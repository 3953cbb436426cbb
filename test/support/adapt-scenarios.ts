// Scenarios for loops of measuring and routing: two halves of 16 hosts that exchange messages, whose best time is known
// by hand. Four hosts of a leaf send 2 MiB each over two links of 100 Gb/s.

const sizes = 'pods: 2, edgesPerPod: 2, hostsPerEdge: 4, aggregationPerPod: 2, cores: 4, coreGroups: 2';
const latencies = 'hostLatency: 0ns, aggregationLatency: 0ns, coreLatency: 0ns';

/** A scenario on `credit`, without headers. @param more further lines */
export function bisectionScenario(pairing: string, more = ''): string {
  return `backend: credit
fabric: { generate: fat-tree, ${sizes}, ${latencies} }
workload: { program: bisection, pairing: ${pairing}, messageSize: 1MiB, messages: 2, eagerLimit: 2MiB }
routing: { algorithm: ftree }
packet: { payload: 4KiB, header: 0B, gap: 0B }
${more}`;
}

/** Bytes of two hosts, which is what a link up has at best, and how long they take. */
export const bestBytes = 2 * 2 * 2 ** 20;
export const bestNs = (bestBytes * 8) / 100;
