// Source ports by which the queue pairs of a flow leave by the ports of their NIC in turn.
// Each queue pair gets the next source port of its pair's counter that the NIC's hash puts on the port whose turn it
// is; what leads on from there is the hash's, as ever. Turns go on from flow to flow, host by host, so that all ports
// get as many queue pairs, whatever their number per flow. Those of a connection are asked for when each is first used,
// and have their ports by their numbers.
// Invariant: a flow with one queue pair and one whose host has one port that leads there have the port
// that the counter gives.
// Source: routing/nic-ports.ts. Not modelled: source ports chosen for the receiver's port or the spine as well.

import { fail } from '../base/fail.js';
import type { NicPorts } from '../routing/nic-ports.js';
import type { PathTracer } from '../routing/path.js';
import { type Admission, type CountedPorts, destinationPort } from './admission.js';
import type { Frontier } from './frontier.js';

/** as many as source ports there are: a counter has shown all of them by then */
const mostTries = 65_536;

export class PortsInTurn implements Admission {
  /** queue pairs so far that had a choice, by host */
  private readonly turns: Uint32Array;

  constructor(
    private readonly frontier: Frontier,
    private readonly tracer: PathTracer,
    private readonly nics: NicPorts,
    private readonly counted: CountedPorts,
  ) {
    this.turns = new Uint32Array(tracer.fabric.nodeCount);
  }

  admit(slot: number): number {
    const { frontier, nics, tracer, counted } = this;
    const source = frontier.source[slot]!;
    const destination = frontier.destination[slot]!;
    const pair = frontier.queuePair[slot]!;
    const hasSeveral =
      pair < 0 ? frontier.unfinished[frontier.first[slot]!]! > 1 : nics.queuePairs(source, destination) > 1;
    if (!hasSeveral) return counted.admit(slot);
    const count = nics.leading(source, destination);
    if (count < 2) return counted.admit(slot);
    const wanted = nics.ports[(pair < 0 ? this.turns[source]!++ : pair) % count]!;
    for (let tries = 0; tries < mostTries; tries++) {
      const sourcePort = counted.admit(slot);
      if (tracer.firstPort(source, destination, sourcePort, destinationPort) === wanted) return sourcePort;
    }
    return fail(`no source port leads from node ${source} to node ${destination} by port ${wanted}`);
  }

  release(): void {}
}
