// Records that move at every allocation, as they may when their buffer grows; what is left behind is made unusable.

import type { PacketNetwork } from '../../src/backends/packet/packet-network.js';

/** Makes a network move its records of packets and events whenever one is allocated. */
export function moveRecordsAlways({ parts: { records } }: PacketNetwork): void {
  const allocate = records.allocate.bind(records);
  records.allocate = () => {
    const record = allocate();
    const old = records.words;
    const buffer = old.slice().buffer;
    records.words = new Int32Array(buffer);
    records.reals = new Float64Array(buffer);
    old.fill(-1);
    return record;
  };
}
