// The options of run.py, the script of ConWeave and OmniDMA that writes a config.txt and runs it: `weft run` does not
// take them, and says for each what to write instead. The list in docs/formats/hpcc-config.md is this one.
// Invariant: none of these words is an option of `weft run`.
// Source: run.py of OmniDMA's simulator (docs/SOURCES.md).

import { Diagnostics, wholeFile } from '../../base/diagnostics.js';

// one module for the words of SimAI's programs, so that the frame of the program loads one file for them
export { spelledOut } from './analytical-options.js';

/** Units of values that run.py takes as bare numbers, by option. */
const scriptUnits: Readonly<Record<string, string>> = {
  '--self_win_bytes': 'B',
  '--buffer': 'MiB',
  '--rnic_dma_fixed_latency_ns': 'ns',
  '--rnic_dma_tlp_payload_bytes': 'B',
  '--omni_mon_interval': 'ns',
  '--sw_monitoring_interval': 'ns',
};

/** What to write instead, by option; VALUE stands for its value, with the unit that Weft wants. */
const scriptOptions: Readonly<Record<string, string>> = {
  '--omnidma': '--set transport.algorithm=omnidma --set pfc.enabled=false',
  '--irn': '--set transport.algorithm=irn --set irn.recovery=rewind --set pfc.enabled=false',
  '--pfc': '--set pfc.enabled=true (0: false)',
  '--cc': '--set congestion.algorithm=dcqcn, hpcc, timely, dctcp or none',
  '--lb': '--set routing.balancing=ecmp (their fecmp), drill, conga, letflow or conweave',
  '--omnidma_bitmap_size': '--set omnidma.bitmap=VALUE',
  '--omnidma_cubic': 'nothing: there is no CUBIC under OmniDMA; --set congestion.algorithm=dcqcn, or omnidma.window',
  '--has_win': '--set queuePair.window=max-bdp (0: unlimited); under OmniDMA --set omnidma.window=true as well',
  '--self_define_win': '--set queuePair.window=BYTES, such as 500kB',
  '--self_win_bytes': '--set queuePair.window=VALUE, with a unit: 500000B',
  '--rate_bound': '--set queuePair.rateBound=true (0: false)',
  '--buffer': '--set switch.buffer=VALUE, with a unit: 9MiB',
  '--topo': '--set fabric.file=FILE, or TOPOLOGY_FILE of the config',
  '--flow': '--set traffic.file=FILE, or FLOW_FILE of the config',
  '--my_switch_total_drop_rate': '--set loss.rate=VALUE --set loss.model=amazon',
  '--switch_drop_mode': '--set loss.model=amazon, sequence or time (theirs: lossrate, seqnum, timestep)',
  '--switch_drop_seqnum_config': '--set loss.model=sequence --set loss.file=VALUE',
  '--switch_drop_timestep_config': '--set loss.model=time --set loss.file=VALUE',
  '--switch_drop_switch_config': "SWITCH_DROP_SWITCH_CONFIG_FILE of the config, or --set 'loss.places=[{ switch: 0 }]'",
  '--rnic_dma_bw': '--set rnic.dmaBandwidth=VALUE, with a unit: 128Gbps',
  '--rnic_dma_fixed_latency_ns': '--set rnic.dmaLatency=VALUE, with a unit: 250ns',
  '--rnic_dma_tlp_payload_bytes': '--set rnic.tlpPayload=VALUE, with a unit: 256B',
  '--omni_mon_interval': '--set probes.rnicInterval=VALUE, with a unit: 100us',
  '--sw_monitoring_interval': '--set probes.queueInterval=VALUE, with a unit: 10us',
  '--enforce_win': '--set queuePair.window=max-bdp',
  '--simul_time': 'nothing: a run ends with its last flow',
  '--netload': 'a flow file that was made with this load (traffic.file)',
  '--cdf': 'a flow file that was made with these sizes (traffic.file)',
  '--bw': 'rates in the topology file',
};

/**
 * Refuses the options of run.py on a command line of `weft run` or `weft sweep`. @throws InputError with what to write
 * instead
 */
export function refuseScriptOptions(commandLine: readonly string[]): void {
  const diagnostics = new Diagnostics();
  for (const [index, word] of commandLine.entries()) {
    const [name = '', joined] = word.split('=', 2);
    // what stands behind an option of Weft is its value
    if (!Object.hasOwn(scriptOptions, name) || commandLine[index - 1] === '--set') continue;
    const next = commandLine[index + 1];
    const value = joined ?? (next === undefined || next.startsWith('-') ? null : next);
    diagnostics.error('script-option', name, wholeFile, 'is an option of run.py, which Weft does without', {
      wanted: value === null ? scriptOptions[name]! : instead(name, value),
      hint: 'docs/formats/hpcc-config.md has all of them; the keys of a config.txt are read as they are',
    });
  }
  diagnostics.throwIfErrors();
}

/** What to write for an option with a value: `500000` of --self_win_bytes is `500000B`, `128Gb/s` is `128Gbps`. */
function instead(name: string, value: string): string {
  const isBare = /^\d+(\.\d+)?$/.test(value) && Object.hasOwn(scriptUnits, name);
  const own = isBare ? `${value}${scriptUnits[name]!}` : value.replace(/^(\d+(?:\.\d+)?[KMGT]?)b\/s$/, '$1bps');
  return scriptOptions[name]!.replace(/, with a unit: \w+$/, '').replace('VALUE', own);
}
