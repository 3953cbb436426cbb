// The explanation of a collective for people, within 80 columns, and as a plain object for --json.

import { formatRateBps, formatSizeBytes, formatTimePs } from '../base/units.js';
import { NodeKind } from '../fabric/fabric.js';
import type { CollectiveExplanation, ExplainedChannel, StepFigures } from './collective-explanation.js';
import { howText, protocolName } from './collective-table.js';
import { cellsText } from './aligned-table.js';
import { explanationFigures, isMuchFaster } from './figures/collectives.js';
import { figuresObject } from './figures/figure.js';
import { type TextStyle, coloured, counted, grouped, indented, labelled, percentText } from './text-style.js';

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
  const lines = channels
    .slice(0, channelsShown)
    .flatMap((channel) =>
      labelled(
        `channel ${channel.channel}`,
        channel.ring === null ? treeText(channel) : ringText(channel.ring, fabric.nodeServer),
        indent,
      ),
    );
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

/** A table within two columns, its last one as long as it likes. */
function lineOf(cells: readonly string[], widths: readonly number[]): string {
  return `  ${cellsText(cells, widths, '  ')}`.trimEnd();
}

const stepWidths = [-10, 10, 10, 19, 0];

function stepLines({ steps, schedule: { moveCount }, movesCounted }: CollectiveExplanation): string[] {
  const more = steps.length - stepsShown;
  const note = movesCounted < moveCount ? `; the steps are of the first ${grouped(movesCounted)}` : '';
  return [
    lineOf(['steps', 'moves each', 'bytes each', 'a move', 'first move'], stepWidths),
    ...steps.slice(0, stepsShown).map((own) => lineOf(stepCells(own), stepWidths)),
    ...(more > 0 ? [`  and ${counted(more, 'more line')}: --json has them`] : []),
    `  ${counted(moveCount, 'move')} in all${note}`,
    '',
  ];
}

function stepCells(figures: StepFigures): string[] {
  const { firstStep, lastStep, moves, bytes, leastBytes, mostBytes, reductions, source, destination } = figures;
  const [least, most] = [formatSizeBytes(leastBytes), formatSizeBytes(mostBytes)];
  const how = reductions === 0 ? 'copy' : reductions === moves ? 'add' : 'add or copy';
  return [
    firstStep === lastStep ? String(firstStep) : `${firstStep}-${lastStep}`,
    grouped(moves),
    formatSizeBytes(bytes),
    leastBytes === mostBytes ? most : `${least} to ${most}`,
    `${source} -> ${destination} (${how})`,
  ];
}

const tierWidths = [-13, 11, 9, 9, 19, 7];

function tierLines({ tiers, communicator: { fabric } }: CollectiveExplanation): string[] {
  const nodeName = (node: number): string => (fabric.nodeKind[node] === NodeKind.host ? `host ${node}` : String(node));
  const rows = tiers.map(({ name, ports, usedPorts, flows, bytes, busiestPort, busiestPs }) => [
    name,
    `${usedPorts} of ${ports}`,
    grouped(flows),
    formatSizeBytes(Math.round(bytes)),
    `${nodeName(fabric.portNode[busiestPort]!)} to ${fabric.portNode[fabric.portPeer[busiestPort]!]!}`,
    formatTimePs(busiestPs),
  ]);
  return [['links', 'used', 'flows', 'bytes', 'busiest link', 'needs'], ...rows].map((row) => lineOf(row, tierWidths));
}

function timeLine(label: string, text: string): string {
  return `  ${label.padEnd(20)}${text}`;
}

function timeLines(explanation: CollectiveExplanation): string[] {
  const { tiers, modelPs, timePs, others } = explanation;
  const bound = tiers.reduce((most, tier) => (tier.busiestPs > most.busiestPs ? tier : most), {
    busiestPs: 0,
    name: '',
  });
  const beside = (ps: number): string => `${formatTimePs(ps)}, ${percentText(ps / timePs)} of it`;
  const faster = others
    .filter((other) => isMuchFaster(explanation, other))
    .map((other) => `${other.algorithm} takes ${percentText(1 - other.timePs! / timePs, 0)} less`);
  return [
    timeLine('simulated', formatTimePs(timePs)),
    timeLine('busiest link alone', `${beside(bound.busiestPs)} (${bound.name})`),
    ...(modelPs === null ? [] : [timeLine("NCCL's model", `${beside(modelPs)} (latencies and bytes)`)]),
    ...others.map(({ algorithm, protocol, timePs: otherPs }) =>
      timeLine(
        `${algorithm} ${protocolName(protocol)}`,
        otherPs === null ? 'too many moves to simulate it here' : beside(otherPs),
      ),
    ),
    ...(faster.length === 0
      ? []
      : ['', ...indented(`In simulation ${faster.join(', ')}: NCCL's model prefers what is slower here.`)]),
  ];
}

/** The explanation for --json. */
export function explanationObject(explanation: CollectiveExplanation): Record<string, unknown> {
  return figuresObject(explanationFigures, explanation);
}
