// Servers whose GPUs have no NVLink: PCIe's latencies, its switch as the way within the server on every backend, nothing
// reduced in it.
// By hand: an LL ring of 8 B over 8 GPUs is 6.6 us and 14 hops of 1.0 us over PCIe (0.6 over NVLink) by NCCL's tuner:
// 20.6 and 15.0 us; the rest is time on the wire, tens of nanoseconds a hop.

import { describe, expect, it } from 'vitest';
import { groupFacts, scheduleProblem } from '../../src/collectives/build-schedule.js';
import { Communicator } from '../../src/collectives/communicator.js';
import { canNvls } from '../../src/collectives/nvls.js';
import { type Choice, chooseWith } from '../../src/collectives/selection.js';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { fabricReport, generatedLine } from '../../src/cli/topology/topology-text.js';
import { linkTiers } from '../../src/fabric/link-tiers.js';
import { NodeNames } from '../../src/fabric/node-names.js';
import { isWithinServers } from '../../src/fabric/server-switch.js';
import { summariseFabric } from '../../src/fabric/summary.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { lacksNvlink } from '../../src/fabric/gpus-without-nvlink.js';
import { readTopology } from '../../src/formats/simai-topology.js';
import { writeTopology } from '../../src/formats/simai-topology-text.js';
import { scenarioRun } from '../support/scenario-run.js';

const pcie = generateFabric('spectrum-x', { gpus: 16, gpuType: 'L40S', nvlinkBandwidth: '256Gbps' });
const whole = new Communicator(
  pcie,
  Int32Array.from({ length: 8 }, (_, rank) => rank),
);

/** What profile nccl chooses for an LL ring of 8 B. */
function choice(communicator: Communicator): Choice {
  return chooseWith(
    'nccl',
    {
      kind: 'allreduce',
      groupKind: 'tp',
      sizeBytes: 8,
      facts: groupFacts(communicator),
      gpuType: communicator.fabric.gpuType,
      hasNvswitches: canNvls(communicator),
      nvls: true,
      pxn: false,
      collnet: false,
      channels: 0,
    },
    { algorithm: 'ring', protocol: 'll' },
  );
}

/** A run on L40S servers with these parameters of the fabric. */
function wanted(parameters: string): Promise<unknown> {
  return scenarioRun(
    `name: s\nfabric: { generate: spectrum-x, gpus: 16, gpuType: L40S${parameters} }\ntraffic: { transfers: [ { source: 0, destination: 1, size: 1kB } ] }\n`,
    [],
  );
}

/** Before the first move and before every move in a server, nanoseconds. */
function delays({ startDelayPs, intraServerDelayPs }: Choice): number[] {
  return [startDelayPs, intraServerDelayPs].map((ps) => Math.round(ps / 1000));
}

describe('GPUs without NVLink', () => {
  it('are known by name', () => {
    for (const name of ['L4', 'L20', 'l40s', 'L40S_48GB', 'RTX6000D']) expect(lacksNvlink(name), name).toBe(true);
    for (const name of ['', 'H100', 'L400', 'A100', 'toString', 'B200']) expect(lacksNvlink(name), name).toBe(false);
  });

  it('have a PCIe switch, in which nothing is reduced', () => {
    expect(groupFacts(whole)).toMatchObject({ nvlinkBps: 0, pcieBps: 256e9, servers: 1, nicsPerServer: 8 });
    expect(groupFacts(whole).networkBps).toBe(8 * 400e9);
    expect(canNvls(whole)).toBe(false);
    expect(scheduleProblem('nvls', 'allreduce', whole)).toContain('NVSwitch');
    const h100 = generateFabric('spectrum-x', { gpus: 16, gpuType: 'H100', nvlinkBandwidth: '256Gbps' });
    expect(groupFacts(new Communicator(h100, whole.ranks))).not.toHaveProperty('pcieBps');
  });

  it("take PCIe's latencies in profiles of NCCL", () => {
    const h100 = new Communicator(generateFabric('spectrum-x', { gpus: 16, gpuType: 'H100' }), whole.ranks);
    // whole nanoseconds: what LL reaches of a link by size adds picoseconds
    expect(delays(choice(whole))).toEqual([6600, 1000]);
    expect(delays(choice(h100))).toEqual([6600, 600]);
  });

  it('stay what they are in a topology file', () => {
    const diagnostics = new Diagnostics();
    const text = writeTopology(pcie);
    const read = readTopology(text, 'x.topo', diagnostics)!;
    expect(groupFacts(new Communicator(read, whole.ranks))).toEqual(groupFacts(whole));
  });

  it('have their switch called one of PCIe, and not an NVSwitch, wherever it is listed', () => {
    const { nvswitches, pcieSwitches, tiers, linkClasses, switches } = summariseFabric(pcie);
    expect([nvswitches, pcieSwitches, switches]).toEqual([0, 2, 72]);
    expect(tiers.map(({ names }) => names)).toContain('pcie[0..1]');
    expect(linkClasses.map(({ ends }) => ends)).toEqual(['host-pcie', 'host-switch', 'switch-switch']);
    const names = linkTiers(pcie).tiers.map(({ name }) => name);
    expect(names.filter(isWithinServers)).toEqual(['host-PCIe', 'PCIe-host']);
    expect(generatedLine('x.topo', pcie)).toContain('16 hosts, 2 PCIe switches, 72 switches');
    const report = fabricReport('x.topo', summariseFabric(pcie), [], [], []);
    expect(report).toContain('2 PCIe switches');
    expect(`${report}${names.join()}`).not.toMatch(/nvswitch/i);
    const h100 = summariseFabric(generateFabric('spectrum-x', { gpus: 16, gpuType: 'H100' }));
    expect([h100.nvswitches, h100.pcieSwitches]).toEqual([2, 0]);
  });

  it('have their switch found by either word', () => {
    const nodes = new NodeNames(pcie);
    for (const name of ['pcie[1]', 'nvswitch[1]', 'server[1].pcie[0]', 'server[1].nvswitch[0]'])
      expect(nodes.find(name), name).toMatchObject({ node: 17 });
  });

  it('are refused an NVLink', async () => {
    await expect(wanted(', nvlinkBandwidth: 2880Gbps')).rejects.toThrow(
      /L40S has no NVLink[^]*leave it out: L40S brings what its PCIe carries/,
    );
    await expect(wanted('')).resolves.toBeDefined();
    await expect(wanted(', nvlinkBandwidth: 1025Gbps')).rejects.toThrow(/at most 1\.024Tbps/);
    await expect(wanted(', nvlinkBandwidth: 512Gbps')).resolves.toBeDefined();
    await expect(wanted(', nvswitchesPerServer: 0')).resolves.toBeDefined();
  });

  it.each(['packet', 'fluid', 'analytical'])('send within a server over PCIe on the backend %s', async (backend) => {
    const scenario = `name: s\nbackend: ${backend}\nfabric: { generate: spectrum-x, gpus: 8, gpuType: L40S, nvlinkBandwidth: 256Gbps }\ncollectives: { profile: nccl, algorithm: ring, protocol: ll }\nworkload: { file: w.txt, tensorParallel: 8 }\n`;
    const file = `HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 8 checkpoints: 0 checkpoint_initiates: 0 pp_comm: 0\n1\nlayer -1 0 ALLREDUCE 8 0 NONE 0 0 NONE 0 0\n`;
    const run = await scenarioRun(scenario, [], { 'w.txt': file });
    const us = run.summary.simulatedPs / 1e6;
    expect(us).toBeGreaterThan(20.6);
    expect(us).toBeLessThan(1.15 * 20.6);
  });
});
