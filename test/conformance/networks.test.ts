// Every backend's network passes the suite of networks.

import { expect } from 'vitest';
import { builtInBackends } from '../../src/backends/catalogue.js';
import { settingDefaults } from '../../src/base/settings.js';
import { MemorySink } from '../../src/records/memory-sink.js';
import { settingsWith } from '../support/engine-run.js';
import { burstBackend } from '../seams/burst-network.js';
import { checkNetwork, type SkippedCases } from './network-suite.js';

const skipped: Readonly<Record<string, SkippedCases>> = {
  analytical: { 'link changes': 'it times every flow by itself on the fabric as built, and refuses failures' },
};

// burst: a backend that is added from outside
for (const backend of [...builtInBackends, burstBackend]) {
  const packet = settingsWith();
  const settings = Object.fromEntries(
    Object.entries(backend.groups).map(([name, group]) => [name, settingDefaults(group.settings)]),
  );
  const shape = {
    payloadBytes: packet.packet.payload,
    overheadBytes: packet.packet.header + packet.packet.gap,
    acknowledgementBytes: packet.packet.acknowledgement + packet.packet.gap,
  };
  checkNetwork(
    backend.name,
    (parts) => {
      const rest = {
        seed: 1,
        shape,
        settings,
        packet,
        countsPorts: true,
        sink: new MemorySink(),
        wheelWidthPs: null,
        paces: null,
        receiveBuffers: new Map(),
      };
      const { network } = backend.make({ ...parts, ...rest });
      expect(Object.keys(network.counters).sort()).toEqual([...backend.counters].sort());
      return network;
    },
    skipped[backend.name],
  );
}
