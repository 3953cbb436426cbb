// What an owner sees in the picture of its samples, in words: the evidence beside a finding.

import { NodeKind, type Fabric } from '../fabric/fabric.js';
import type { CauseFinding } from './finding.js';
import {
  congestedFraction,
  congestionRoots,
  isDarkAndThin,
  isFull,
  isInteriorCongestion,
  isScattered,
  upAndDown,
  type SampledTraffic,
} from './rules.js';

/** A finding with what the picture shows of it. */
export function withEvidence(fabric: Fabric, seen: SampledTraffic, finding: CauseFinding): CauseFinding {
  const said: string[] = [];
  const [first] = finding.links;
  if (first !== undefined) {
    const { port } = first;
    const fraction = percent(congestedFraction(seen, port));
    const used = percent(seen.utilisation[port]!);
    if (isDarkAndThin(seen, port))
      said.push(`its congested fraction is ${fraction} though own packets use ${used} of it`);
    else if (isFull(seen, port)) said.push(`own packets use ${used} of it, congested fraction ${fraction}`);
    else said.push(`congested fraction ${fraction}, own packets use ${used} of it`);
  }
  const { up, down } = upAndDown(fabric, seen);
  if (isInteriorCongestion(fabric, seen))
    said.push(`up links are darker (${percent(up)}) than down links (${percent(down)})`);
  if (isScattered(fabric, seen)) said.push('few of the links between switches are dark');
  const roots = congestionRoots(fabric, seen);
  const hosts = roots.filter(({ node }) => fabric.nodeKind[node] === NodeKind.host).length;
  if (roots.length > 0) said.push(`roots of congestion trees: ${hosts} hosts, ${roots.length - hosts} switches`);
  return { ...finding, evidence: [...finding.evidence, ...said] };
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}
