// htsim's topology files (.topo): trees of two or three tiers by their radices -> Fabric.
//   Nodes N, Tiers T, Podsize P; then for each tier of switches `Tier t` with Downlink_speed_Gbps, Radix_Down,
// Radix_Up,   Downlink_Latency_ns, and perhaps Switch_Latency_ns, Oversubscribed, Bundle.
// Invariants: ids count up over hosts, tier 0, tier 1, tier 2; a switch of tier t has Radix_Down links down and
// Radix_Up up, Bundle of them beside each other where its tier says so; what does not come out even is an error.
// Source: the files that htsim ships (github.com/Broadcom/csg-htsim, sim/datacenter/topologies), and its reader, which
// takes names in any case. A switch's latency is laid half on each link of it, which is the whole for a packet that
// passes it. Form: docs/formats/htsim.md.
// Not kept: Oversubscribed, which the radices say already; queue sizes.

import { FileProblems, type Diagnostics, type Position } from '../base/diagnostics.js';
import { FabricBuilder, maxLinks, maxNodes, NodeKind, type Fabric } from '../fabric/fabric.js';
import { fieldsOf, linesOf } from './lines.js';

const topNames = ['Nodes', 'Tiers', 'Podsize'] as const;
const tierNames = [
  'Downlink_speed_Gbps',
  'Radix_Down',
  'Radix_Up',
  'Downlink_Latency_ns',
  'Switch_Latency_ns',
  'Oversubscribed',
  'Bundle',
  'Queue_Down',
  'Queue_Up',
] as const;

interface Value extends Position {
  readonly value: number;
}

type Values = Map<string, Value>;

/** Names as this module has them, by how they are typed. */
const spelling = new Map([...topNames, ...tierNames, 'Tier'].map((name) => [name.toLowerCase(), name]));

/** True of a text that begins as such a file. */
export function isHtsimTopology(text: string): boolean {
  return /^(?:\s|#[^\n]*\n)*(?:nodes|tiers|podsize)[ \t]+\d/i.test(text.slice(0, 10_000));
}

/** Reads such a file. @returns null after at least one error */
export function readHtsimTopology(text: string, file: string, diagnostics: Diagnostics): Fabric | null {
  const problems = new FileProblems(file, diagnostics);
  const top: Values = new Map();
  const tiers: Values[] = [];
  const wrong = (at: Position, message: string, detail: { got?: string; wanted?: string }): void =>
    problems.error('htsim-topology', at, message, detail);
  let current = top;
  for (const { line: number, text: line } of linesOf(text, problems)) {
    const [typed, word, extra] = fieldsOf(line);
    if (typed === undefined) continue;
    const at = { line: number, column: typed.column };
    const name = spelling.get(typed.text.toLowerCase()) ?? typed.text;
    const value = word !== undefined && /^\d{1,15}(\.\d{1,6})?$/.test(word.text) ? Number(word.text) : NaN;
    const known: readonly string[] = current === top ? topNames : tierNames;
    if (name === 'Tier' && value === tiers.length && tiers.length < 3) tiers.push((current = new Map()));
    else if (Number.isNaN(value) || extra !== undefined || !known.includes(name))
      wrong(at, 'the line is not a name and its number', {
        got: line.trim().slice(0, 80),
        wanted: `one of ${known.join(', ')}, or Tier ${tiers.length}`,
      });
    else if (current.has(name)) wrong(at, `${name} stands twice`, { wanted: 'each name once' });
    else current.set(name, { value, ...at });
  }
  if (problems.failed) return null;
  return new TreeBuilder(top, tiers, wrong).build();
}

class TreeBuilder {
  private isWrong = false;

  constructor(
    private readonly top: Values,
    private readonly tiers: readonly Values[],
    private readonly tell: (at: Position, message: string, detail: { got?: string; wanted?: string }) => void,
  ) {}

  build(): Fabric | null {
    const { top, tiers } = this;
    const nodes = this.whole(top, 'Nodes');
    const count = this.whole(top, 'Tiers');
    if (count !== tiers.length || count < 2)
      this.wrong(top.get('Tiers'), `the file has ${tiers.length} tiers and announces ${count}`, 'two or three');
    if (this.isWrong) return null;
    const down = tiers.map((tier) => this.whole(tier, 'Radix_Down'));
    const up = tiers.slice(0, -1).map((tier) => this.whole(tier, 'Radix_Up'));
    const bundle = tiers.map((tier) => (tier.has('Bundle') ? this.whole(tier, 'Bundle') : 1));
    const podsize = count === 2 || !top.has('Podsize') ? nodes : this.whole(top, 'Podsize');
    const rates = tiers.map((tier) => this.given(tier, 'Downlink_speed_Gbps') * 1e9);
    const latencies = tiers.map((tier) => this.given(tier, 'Downlink_Latency_ns') * 1000);
    const inside = tiers.map((tier) => (tier.get('Switch_Latency_ns')?.value ?? 0) * 1000);
    if (this.isWrong) return null;
    for (let tier = 1; tier < count; tier++) {
      this.share(up[tier - 1]!, bundle[tier]!, `Radix_Up of tier ${tier - 1}`, `Bundle of tier ${tier}`);
      this.share(down[tier]!, bundle[tier]!, `Radix_Down of tier ${tier}`, `Bundle of tier ${tier}`);
    }
    const pods = this.share(nodes, podsize, 'Nodes', 'Podsize');
    const leaves = this.share(podsize, down[0]!, 'Podsize', 'Radix_Down of tier 0');
    const middles = this.share(leaves * up[0]!, down[1]!, 'uplinks of a pod', 'Radix_Down of tier 1');
    const cores =
      count === 3 ? this.share(pods * middles * up[1]!, down[2]!, 'uplinks of tier 1', 'Radix_Down of tier 2') : 0;
    if (!this.isWrong)
      this.share(up[0]! / bundle[1]!, middles, 'bundles of a switch of tier 0', 'switches of tier 1 in a pod');
    if (!this.isWrong && count === 3)
      this.share((middles * up[1]!) / bundle[2]!, cores, 'bundles of a pod to the cores', 'the number of cores');
    if (this.isWrong) return null;
    const switches = pods * (leaves + middles) + cores;
    const links = nodes + pods * leaves * up[0]! + (count === 3 ? pods * middles * up[1]! : 0);
    if (nodes + switches > maxNodes || links > maxLinks) {
      this.wrong(top.get('Nodes'), `the fabric would have ${nodes + switches} nodes`, `at most ${maxNodes}`);
      return null;
    }
    const builder = new FabricBuilder();
    builder.addNodes(NodeKind.host, nodes);
    builder.addNodes(NodeKind.switch, switches);
    const leaf = nodes;
    const middle = leaf + pods * leaves;
    const core = middle + pods * middles;
    const latency = (tier: number): number =>
      Math.round(latencies[tier]! + (inside[tier]! + (tier === 0 ? 0 : inside[tier - 1]!)) / 2);
    for (let host = 0; host < nodes; host++)
      builder.addLink(host, leaf + Math.floor(host / down[0]!), rates[0]!, latency(0), 0);
    for (let at = 0; at < pods * leaves; at++) {
      const pod = Math.floor(at / leaves);
      for (let link = 0; link < up[0]!; link++) {
        const to = Math.floor(link / bundle[1]!) + (at % leaves) * (up[0]! / bundle[1]!);
        builder.addLink(leaf + at, middle + pod * middles + (to % middles), rates[1]!, latency(1), 0);
      }
    }
    if (count === 3)
      for (let at = 0; at < pods * middles; at++)
        for (let link = 0; link < up[1]!; link++) {
          // htsim's numbers: the uplinks of a switch go to cores that lie a pod's switches apart
          const to = Math.floor(link / bundle[2]!) * middles + (at % middles);
          builder.addLink(middle + at, core + (to % cores), rates[2]!, latency(2), 0);
        }
    return builder.build();
  }

  /** How often one number goes into another, which must come out even. */
  private share(whole: number, part: number, wholeName: string, partName: string): number {
    if (part > 0 && whole % part === 0) return whole / part;
    this.wrong(
      this.top.get('Nodes'),
      `${wholeName} (${whole}) is no multiple of ${partName} (${part})`,
      'numbers that fit',
    );
    return 1;
  }

  private whole(values: Values, name: string): number {
    const found = values.get(name);
    if (found !== undefined && Number.isInteger(found.value) && found.value >= 1 && found.value <= maxNodes)
      return found.value;
    this.wrong(
      found,
      `${name} is ${found === undefined ? 'missing' : 'no usable number'}`,
      `a whole number from 1 to ${maxNodes}`,
    );
    return 1;
  }

  private given(values: Values, name: string): number {
    const found = values.get(name);
    if (found !== undefined && (name !== 'Downlink_speed_Gbps' || (found.value > 0 && found.value < 9e6)))
      return found.value;
    this.wrong(found, `${name} is ${found === undefined ? 'missing' : 'no rate'}`, 'a number');
    return 1;
  }

  private wrong(at: Position | undefined, message: string, wanted: string): void {
    this.isWrong = true;
    this.tell(at === undefined ? { line: 1, column: 1 } : { line: at.line, column: at.column }, message, { wanted });
  }
}
