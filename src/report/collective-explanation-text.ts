// The explanation of a collective for people, within 80 columns, and as a plain object for --json.

import { formatRateBps, formatSizeBytes, formatTimePs } from '../base/units.js';
import { NodeKind } from '../fabric/fabric.js';
import type { CollectiveExplanation, ExplainedChannel, StepFigures } from './collective-explanation.js';
import { howText, protocolName } from './collective-table.js';
import { type TextStyle, coloured, counted, grouped, labelled, wrapped } from './text-style.js';

const columns = 80;
const indent = 13;
/** channels, nodes of a ring, parents of a tree and steps that are printed; --json has all of them */
const channelsShown = 2;
const nodesShown = 64;
const parentsShown = 12;
const stepsShown = 12;

/** The explanation as text that ends with a newline. */
export function explanationText(explanation: CollectiveExplanation, style: TextStyle): string {
  const { request, communicator, facts, choice } = explanation;
  const lines: string[] = [
    coloured(
      style,
      'bold',
      `${request.kind} of ${formatSizeBytes(request.sizeBytes)} over ${counted(communicator.rankCount, 'rank')}`,
    ),
    '',
  ];
  const say = (label: string, text: string): void => {
    lines.push(...labelled(label, text, indent));
  };
  const { most, fewest } = explanation.ranksPerServer;
  say(
    'group',
    `${counted(facts.servers, 'server')} with ${most === fewest ? most : `${fewest} to ${most}`} of its ranks ` +
      `each; NICs of ${explanation.nicsPerServer} of ` +
      `them${facts.servers > 1 ? `, ${formatRateBps(facts.networkBps)} in all` : ''}; ` +
      `${facts.nvlinkBps > 0 ? `NVLink ${formatRateBps(facts.nvlinkBps)} per GPU` : 'no NVLink that they share'}`,
  );
  say(
    'choice',
    `${howText(choice)}: ${choice.channels === 1 ? 'one channel' : `${choice.channels} channels`}, ` +
      `${choice.chunks === 1 ? 'one chunk' : `${choice.chunks} chunks`}${choice.pxn ? ', over proxies (PXN)' : ''}`,
  );
  say('reason', choice.reason);
  say(
    'delays',
    `${formatTimePs(choice.startDelayPs)} once; per move ${formatTimePs(choice.intraServerDelayPs)} within a ` +
      `server, ${formatTimePs(choice.networkDelayPs)} between servers`,
  );
  lines.push('', ...channelLines(explanation), ...stepLines(explanation), ...tierLines(explanation));
  lines.push('', ...timeLines(explanation));
  return `${lines.join('\n')}\n`;
}

function channelLines({ channels, communicator }: CollectiveExplanation): string[] {
  if (channels.length === 0) return [];
  const { fabric } = communicator;
  const lines: string[] = [];
  for (const channel of channels.slice(0, channelsShown)) {
    const label = `  channel ${channel.channel}`.padEnd(indent);
    const parts = wrapped(
      channel.ring === null ? treeText(channel) : ringText(channel.ring, fabric.nodeServer),
      columns - indent,
    );
    lines.push(...parts.map((part, i) => `${i === 0 ? label : ' '.repeat(indent)}${part}`));
  }
  if (channels.length > channelsShown)
    lines.push(`${' '.repeat(indent)}and ${counted(channels.length - channelsShown, 'more channel')}: --json has them`);
  return [...lines, ''];
}

/** Nodes in order, servers set apart. */
function ringText(ring: readonly number[], nodeServer: Int32Array): string {
  const shown = ring.slice(0, nodesShown);
  const text = shown
    .map((node, i) => (i > 0 && nodeServer[node] !== nodeServer[shown[i - 1]!] ? `| ${node}` : String(node)))
    .join(' ');
  return `ring ${text}${ring.length > shown.length ? ` ... (${ring.length} in all)` : ''}, back to ${ring[0]!}`;
}

function treeText({ tree }: ExplainedChannel): string {
  const { root, height, edges } = tree!;
  const shown = edges
    .slice(0, parentsShown)
    .map(
      ({ parent, children }) => `${parent} above ${children.slice(0, 9).join(' ')}${children.length > 9 ? ' ...' : ''}`,
    );
  return `tree of height ${height} below ${root}: ${shown.join('; ')}${edges.length > shown.length ? `; and ${edges.length - shown.length} more` : ''}`;
}

function stepLines({ steps, moveCount, movesCounted }: CollectiveExplanation): string[] {
  const lines = [
    `  ${'steps'.padEnd(12)}${'moves each'.padStart(10)}  ${'bytes each'.padStart(10)}  ${'a move'.padStart(19)}  first move`,
  ];
  for (const figures of steps.slice(0, stepsShown)) lines.push(stepLine(figures));
  if (steps.length > stepsShown)
    lines.push(`  and ${counted(steps.length - stepsShown, 'more line')}: --json has them`);
  const note = movesCounted < moveCount ? `; the steps are of the first ${grouped(movesCounted)}` : '';
  return [...lines, `  ${counted(moveCount, 'move')} in all${note}`, ''];
}

function stepLine({
  firstStep,
  lastStep,
  moves,
  bytes,
  leastBytes,
  mostBytes,
  reductions,
  source,
  destination,
}: StepFigures): string {
  const which = firstStep === lastStep ? String(firstStep) : `${firstStep}-${lastStep}`;
  const each =
    leastBytes === mostBytes
      ? formatSizeBytes(mostBytes)
      : `${formatSizeBytes(leastBytes)} to ${formatSizeBytes(mostBytes)}`;
  const how = reductions === 0 ? 'copy' : reductions === moves ? 'add' : 'add or copy';
  return (
    `  ${which.padEnd(12)}${grouped(moves).padStart(10)}  ${formatSizeBytes(bytes).padStart(10)}  ` +
    `${each.padStart(19)}  ${source} -> ${destination} (${how})`
  );
}

function tierLines({ tiers, communicator }: CollectiveExplanation): string[] {
  const { fabric } = communicator;
  const nodeName = (node: number): string => (fabric.nodeKind[node] === NodeKind.host ? `host ${node}` : String(node));
  return [
    `  ${'links'.padEnd(15)}${'used'.padStart(11)}  ${'flows'.padStart(9)}  ${'bytes'.padStart(9)}  ${'busiest link'.padStart(19)}  ${'needs'.padStart(7)}`,
    ...tiers.map(({ name, ports, usedPorts, flows, bytes, busiestPort, busiestPs }) => {
      const busiest = `${nodeName(fabric.portNode[busiestPort]!)} to ${fabric.portNode[fabric.portPeer[busiestPort]!]!}`;
      return (
        `  ${name.padEnd(15)}${`${usedPorts} of ${ports}`.padStart(11)}  ${grouped(flows).padStart(9)}  ` +
        `${formatSizeBytes(Math.round(bytes)).padStart(9)}  ${busiest.padStart(19)}  ` +
        `${formatTimePs(busiestPs).padStart(7)}`
      );
    }),
  ];
}

function timeLines({ tiers, modelPs, timePs, others }: CollectiveExplanation): string[] {
  const bound = tiers.reduce((most, tier) => (tier.busiestPs > most.busiestPs ? tier : most), {
    busiestPs: 0,
    name: '',
  });
  const percent = (ps: number): string => `${((ps / timePs) * 100).toFixed(1)} % of it`;
  return [
    `  ${'simulated'.padEnd(20)}${formatTimePs(timePs)}`,
    `  ${'busiest link alone'.padEnd(20)}${formatTimePs(bound.busiestPs)}, ${percent(bound.busiestPs)} (${bound.name})`,
    ...(modelPs === null
      ? []
      : [`  ${"NCCL's model".padEnd(20)}${formatTimePs(modelPs)}, ${percent(modelPs)} (latencies and bytes)`]),
    ...others.map(
      ({ algorithm, protocol, timePs: otherPs }) =>
        '  ' +
        `${`${algorithm} ${protocolName(protocol)}`.padEnd(20)}${otherPs === null ? 'too many moves to simulate it here' : `${formatTimePs(otherPs)}, ${percent(otherPs)}`}`,
    ),
    ...slowerThanLines(timePs, others),
  ];
}

/** from this share on, another algorithm is said to be faster */
const muchFaster = 1.1;

/** What is simulated much faster than the algorithm that NCCL's model preferred. */
function slowerThanLines(timePs: number, others: CollectiveExplanation['others']): string[] {
  const faster = others.filter((other) => other.timePs !== null && timePs > muchFaster * other.timePs);
  if (faster.length === 0) return [];
  const names = faster.map(
    ({ algorithm, timePs: otherPs }) => `${algorithm} takes ${((1 - otherPs! / timePs) * 100).toFixed(0)} % less`,
  );
  return [
    '',
    ...wrapped(`In simulation ${names.join(', ')}: NCCL's model prefers what is slower here.`, columns - 2).map(
      (line) => `  ${line}`,
    ),
  ];
}

/** The explanation for --json. */
export function explanationObject(explanation: CollectiveExplanation): Record<string, unknown> {
  const { communicator, facts, choice, request, moveCount, movesCounted, moves, modelPs, timePs } = explanation;
  return {
    kind: request.kind,
    sizeBytes: request.sizeBytes,
    group: {
      ranks: Array.from(communicator.ranks),
      servers: facts.servers,
      ranksPerServer: explanation.ranksPerServer,
      nicsPerServer: explanation.nicsPerServer,
      nvlinkBps: facts.nvlinkBps,
      networkBps: Number.isFinite(facts.networkBps) ? facts.networkBps : null,
    },
    choice: { ...choice },
    channels: explanation.channels,
    steps: explanation.steps,
    moveCount,
    movesCounted,
    moves,
    movesLeftOut: moveCount - moves.length,
    links: explanation.tiers,
    timeUs: timePs / 1e6,
    modelUs: modelPs === null ? null : modelPs / 1e6,
    alternatives: explanation.others.map((other) => ({
      algorithm: other.algorithm,
      protocol: other.protocol,
      timeUs: other.timePs === null ? null : other.timePs / 1e6,
      isMuchFaster: other.timePs !== null && timePs > muchFaster * other.timePs,
    })),
  };
}
