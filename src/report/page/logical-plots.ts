// The ranks of each sampled program on their logical grid, in the shades of the links of their nodes: a plot for the
// page with the program's phases, tags and windows, and pictures of each.
// Invariant: only packets of the program itself count, whoever else is on its nodes.
// Source: Taffet's dissertation (docs/SOURCES.md), 2.4.2 and figure 2.7.

import { NodeKind } from '../../fabric/fabric.js';
import { counted } from '../text-style.js';
import { packetsOfMarks, packetsText, shadedFile, type MarkPackets } from './congested-picture.js';
import { markName } from './congested-html.js';
import { frameOf, spanText, stepsOf, type CongestedDesk, type CongestedPlot } from './congested-plots.js';
import { logicalGrid, type LogicalGrid } from './logical-grid.js';
import { logicalBody, logicalHeight, logicalSvg } from './logical-picture.js';
import { ownNodeName, type ReportRun } from './report-run.js';
import { programsOf, type RunProgram } from './run-programs.js';
import { slicesOf } from './sample-slices.js';
import type { SampledLinks } from './sampled-links.js';

const howToRead = [
  'The shade of a cell is that of the links of its node: the share of what the program sent or received over them that ' +
    'met congestion there.',
  'x goes to the right, y down. A cell without a shade sent or received nothing.',
];

/** The plots of all runs: one for each program with a grid, if its packets had samples. */
export function logicalPlots(runs: readonly ReportRun[]): CongestedPlot[] {
  return runs.flatMap((run, i) => {
    const { samples, messages } = run.records;
    if (samples === null) return [];
    const programs = programsOf(run).filter(({ grid, program }) => grid !== null && messages.of(program) !== undefined);
    return programs.map((program) => {
      const suffix = `${runs.length > 1 ? `-${i + 1}` : ''}${programs.length > 1 ? `-job-${program.job}` : ''}`;
      return plotOf(run, samples, program, programs.length > 1, suffix);
    });
  });
}

function plotOf(
  run: ReportRun,
  samples: SampledLinks,
  program: RunProgram,
  isOneOfMany: boolean,
  suffix: string,
): CongestedPlot {
  const messages = run.records.messages.of(program.program)!;
  const grid = logicalGrid(program.grid!, (rank) => messages.hostOf(rank));
  const cells = { links: grid.nodes.map((nodes) => ({ ports: portsOf(samples, nodes) })) };
  const packets = (windows: Parameters<SampledLinks['sums']>[0], of: ReadonlySet<number>): MarkPackets =>
    packetsOfMarks(cells, samples.sums(windows, of));
  const all = samples.windows();
  const own = new Set(samples.labels.flatMap(({ job }, label) => (job === program.job ? [label] : [])));
  const { slices, note } = slicesOf(run, samples, program.job);
  const steps = stepsOf(all, grid.nodes.length, slices.length);
  const kinds = [{ name: 'all of its traffic', id: '', labels: own as ReadonlySet<number> }, ...slices];
  const links = grid.nodes.map((nodes, cell) => ({
    low: cellName(run, samples, grid, nodes, cell),
    high: 'its switch',
    count: 1,
    room: 0,
  }));
  const notes = [gridNote(program, grid), note].filter((text) => text !== '');
  const who = isOneOfMany ? `: ${program.name}` : '';
  const files = kinds.map(({ name, id, labels }) => {
    const marks = packets(all, labels);
    return {
      name: `logical-grid${suffix}${id === '' ? '' : `-${id}`}`,
      svg: shadedFile({
        title: `Congestion on the logical grid: ${run.label}${who}${id === '' ? '' : `, ${name}`}`,
        lines: [...howToRead, ...notes],
        scale: '',
        height: logicalHeight(grid),
        body: logicalBody(grid, marks, (mark) => markText(links, mark, marks)),
      }),
    };
  });
  return {
    label: run.label,
    title: `Congestion on the logical grid${who}`,
    rowsTitle: 'Nodes at whose links most packets met congestion',
    svg: logicalSvg(grid, packets(all, own)),
    reading: howToRead.join(' '),
    note: notes.join(' '),
    desk: {
      links,
      slices: kinds.map(({ name, labels }) => ({
        name,
        frames: [
          frameOf('the whole run', null, packets(all, labels)),
          ...steps.map((step) => frameOf(spanText(step), null, packets(step, labels))),
        ],
      })),
    },
    files,
  };
}

/** Ports by which nodes send to switches, and by which these send to them. */
function portsOf({ fabric }: SampledLinks, nodes: readonly number[]): [number[], number[]] {
  const { portOffset, portNode, portPeer, nodeKind } = fabric;
  const ports = nodes.flatMap((node) =>
    Array.from({ length: portOffset[node + 1]! - portOffset[node]! }, (_, i) => portOffset[node]! + i).filter(
      (port) => nodeKind[portNode[portPeer[port]!]!] === NodeKind.switch,
    ),
  );
  return [ports, ports.map((port) => portPeer[port]!)];
}

/** What a mark carries, for its title. */
function markText(links: CongestedDesk['links'], mark: number, { traffic, congested }: MarkPackets): string {
  return `${markName(links[mark >> 1]!, mark)}: ${packetsText(traffic[mark]!, congested[mark]!)}`;
}

/** `host[37] at x 2, y 6, z 0`. */
function cellName(
  run: ReportRun,
  { fabric }: SampledLinks,
  { sides }: LogicalGrid,
  nodes: readonly number[],
  cell: number,
): string {
  const at = [cell % sides[0], Math.floor(cell / sides[0]) % sides[1], Math.floor(cell / (sides[0] * sides[1]))];
  const place = ['x', 'y', 'z'].flatMap((axis, i) => (sides[i]! > 1 ? [`${axis} ${at[i]!}`] : [])).join(', ');
  const who =
    nodes.length === 0
      ? 'no host'
      : nodes.length > 1
        ? counted(nodes.length, 'host')
        : (ownNodeName(run, nodes[0]!) ?? `host[${fabric.hosts.indexOf(nodes[0]!)}]`);
  return place === '' ? who : `${who} at ${place}`;
}

/** What a cell is, and what is not drawn. */
function gridNote({ ranks }: RunProgram, { block, nodeBlock, nodes }: LogicalGrid): string {
  const [of, ofNode] = [block, nodeBlock ?? []].map((sides) => sides.reduce((product, side) => product * side, 1));
  const isNode = nodeBlock !== null && ofNode === of;
  const times = block.join(' x ');
  const what = isNode
    ? of === 1
      ? 'A cell is a rank with a node of its own.'
      : `A cell is ${times} ranks, which share a node.`
    : of === 1
      ? 'A cell is a rank, in the shade of its node, which it shares with others.'
      : `There are too many ranks for a cell each: a cell is ${times} of ${ranks} ranks and adds up its nodes.`;
  const silent = nodes.filter((own) => own.length === 0).length;
  return `${what}${silent > 0 ? ` Of ${counted(silent, 'cell')} no rank sent or received anything over the network.` : ''}`;
}
