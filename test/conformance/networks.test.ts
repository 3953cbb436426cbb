// Every backend's network passes the suite of networks.

import { expect } from 'vitest';
import type { Backend } from '../../src/backends/backend.js';
import { builtInBackends } from '../../src/backends/catalogue.js';
import { creditBackend } from '../../src/backends/credit/credit-backend.js';
import { settingDefaults } from '../../src/base/settings.js';
import { MemorySink } from '../../src/records/memory-sink.js';
import { settingsWith } from '../support/engine-run.js';
import { burstBackend } from '../seams/burst-network.js';
import { checkNetwork, type SkippedCases } from './network-suite.js';

const skipped: Readonly<Record<string, SkippedCases>> = {
  analytical: { 'link changes': 'it times every flow by itself on the fabric as built, and refuses failures' },
};

// burst: a backend that is added from outside
const networks: readonly { readonly backend: Backend; readonly balancing?: string }[] = [
  ...[...builtInBackends, burstBackend].map((backend) => ({ backend })),
  { backend: creditBackend, balancing: 'adaptive' },
];
for (const { backend, balancing } of networks) {
  const packet = { ...settingsWith(), ...(balancing === undefined ? {} : { balancing }) };
  const settings = Object.fromEntries(
    Object.entries(backend.groups).map(([name, group]) => [name, settingDefaults(group.settings)]),
  );
  const shape = {
    payloadBytes: packet.packet.payload,
    overheadBytes: packet.packet.header + packet.packet.gap,
    acknowledgementBytes: packet.packet.acknowledgement + packet.packet.gap,
  };
  checkNetwork(
    balancing === undefined ? backend.name : `${backend.name}, ${balancing}`,
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
        describe: null,
      };
      const { network } = backend.make({ ...parts, ...rest });
      expect(Object.keys(network.counters).sort()).toEqual([...backend.counters].sort());
      return network;
    },
    skipped[backend.name],
  );
}
