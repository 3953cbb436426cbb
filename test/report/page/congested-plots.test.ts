// Congested-fraction plots: by hand on a fabric of two leaves. What is drawn is the sum of the rows of samples, as wide
// and as dark as the scale says; what carries nothing, or no more than chance may give, is left out and counted.

import { describe, expect, it } from 'vitest';
import { generateFabric } from '../../../src/fabric/generators/catalogue.js';
import { interfaceIndex, type Fabric } from '../../../src/fabric/fabric.js';
import { TableWriter } from '../../../src/records/schema.js';
import { congestedPlan } from '../../../src/report/page/congested-plan.js';
import { congestedPlots } from '../../../src/report/page/congested-plots.js';
import { roundUp, shadeOf } from '../../../src/report/page/congested-scale.js';
import { RunRecords } from '../../../src/report/page/run-records.js';
import { LinkSampleColumn as At, linkSampleTable, several } from '../../../src/sampling/sample-records.js';

const fabric = generateFabric('leaf-spine', { leaves: 2, spines: 2, hostsPerLeaf: 2 });
// hosts 0..3, leaves 4 and 5, spines 6 and 7
const portTo = (node: number, peer: number, own: Fabric = fabric): number => {
  for (let port = own.portOffset[node]!; port < own.portOffset[node + 1]!; port++)
    if (own.portNode[own.portPeer[port]!] === peer) return port;
  throw new Error(`no link from ${node} to ${peer}`);
};

/** A row of samples: who sends to whom, packets, of them congested. */
interface Row {
  readonly link: readonly [from: number, to: number];
  readonly packets: number;
  readonly congested: number;
  readonly endPs?: number;
  readonly owner?: number;
  readonly tag?: number;
  readonly noise?: number;
}

function runOf(rows: readonly Row[], label = 'run') {
  const records = new RunRecords(fabric, []);
  const sink = {
    full: false,
    put: (batch: Parameters<RunRecords['put']>[0]) => records.put(batch),
    drain: () => Promise.resolve(),
  };
  const writer = new TableWriter(linkSampleTable, sink);
  for (const { link, packets, congested, endPs = 1e6, owner = -1, tag = 0, noise = 0 } of rows) {
    const { columns } = writer;
    const set = (column: number, value: number): void => {
      columns[column]![writer.rows] = value;
    };
    for (let column = 0; column < columns.length; column++) set(column, 0);
    set(At.time, endPs);
    set(At.window, 1e6);
    set(At.job, owner);
    set(At.tag, tag);
    set(At.node, link[0]);
    set(At.interface, interfaceIndex(fabric, portTo(...link)));
    set(At.traffic, packets);
    set(At.congested, congested);
    set(At.noise, noise);
    writer.commit();
  }
  writer.flush();
  records.end();
  return { label, manifest: null, summary: null, records };
}

/** From host 0 by leaf 4 and spine 6 to host 2 below leaf 5; half of the packets wait at the leaf, all at the end. */
const way: readonly Row[] = [
  { link: [0, 4], packets: 1000, congested: 0 },
  { link: [4, 6], packets: 1000, congested: 500 },
  { link: [6, 5], packets: 1000, congested: 0 },
  { link: [5, 2], packets: 1000, congested: 1000 },
];

/** Classes and widths of the marks that are drawn. */
function drawn(svg: string): { shade: string; width: number }[] {
  return [...svg.matchAll(/data-mark="\d+" class="([^"]*)"[^>]*?(?:stroke-)?width="([\d.]+)"/g)]
    .map(([, shade, width]) => ({ shade: shade!, width: Number(width) }))
    .filter(({ width }) => width > 0);
}

/** The note of a plot with so many packets from leaf 4 to spine 7, which may be chance. */
function noteOf(packets: number): string {
  const rows: Row[] = [
    ...way,
    // sqrt(30^2 + 40^2) = 50
    { link: [4, 7], packets: packets - 10, congested: 5, noise: 30 },
    { link: [4, 7], packets: 10, congested: 5, noise: 40, endPs: 2e6 },
    // chance made it negative, and more congested than there is
    { link: [7, 5], packets: -20, congested: 10 },
  ];
  return congestedPlots([runOf(rows)])[0]!.note;
}

/** Widths of the lines of which half of the packets met congestion. */
function widths(plots: ReturnType<typeof congestedPlots>): number[] {
  return plots.map((plot) => drawn(plot!.svg).find(({ shade }) => shade === 'm l5')!.width);
}

describe('a congested-fraction plot', () => {
  it('is as wide as the traffic and as dark as the congested fraction', () => {
    const [plot] = congestedPlots([runOf(way)]);
    // 1000 packets on a line of at most 12 pixels, so 84 a pixel, rounded up
    expect(plot!.desk.slices[0]!.frames[0]!.packetsPerPixel).toBe(100);
    // four times as wide for hosts; in the order of their shades
    expect(drawn(plot!.svg)).toEqual([
      { shade: 'm l0', width: 10 },
      { shade: 'b0', width: 40 },
      { shade: 'm l5', width: 10 },
      { shade: 'b10', width: 40 },
    ]);
  });

  it('leaves out what carries nothing, and says so', () => {
    const [plot] = congestedPlots([runOf(way)]);
    // hosts 1 and 3 and spine 7: two links of hosts and two of the spine
    expect(plot!.note).toBe('Left out, as they carry nothing: 4 links and 1 switch.');
    expect(plot!.desk.links.map(({ low, high }) => `${low} ${high}`)).toEqual([
      'leaf[0] spine[0]',
      'leaf[1] spine[0]',
      'host[0] leaf[0]',
      'host[2] leaf[1]',
    ]);
    expect(plot!.files[0]!.svg).toContain(plot!.note);
  });

  it('adds up windows and jobs, and shows each of them', () => {
    const [plot] = congestedPlots([
      runOf([
        { link: [4, 6], packets: 30, congested: 30, owner: 0, endPs: 1e6 },
        { link: [4, 6], packets: 10, congested: 0, owner: 1, endPs: 1e6 },
        { link: [4, 6], packets: 60, congested: 0, owner: 1, endPs: 3e6 },
        { link: [4, 7], packets: 5, congested: 0, owner: 1, endPs: 3e6 },
      ]),
    ]);
    const { slices } = plot!.desk;
    // marks of leaf 4 to spine 6 upwards, and to spine 7
    expect(
      slices.map(({ name, frames }) => [
        name,
        ...frames.map(({ traffic, percent }) => [traffic[0], percent[0], traffic[2]]),
      ]),
    ).toEqual([
      ['all traffic', [100, 30, 5], [40, 75, 0], [60, 0, 5]],
      ['job 0', [30, 100, 0], [30, 100, 0], [0, 0, 0]],
      ['job 1', [70, 0, 5], [10, 0, 0], [60, 0, 5]],
    ]);
    expect(slices[0]!.frames.map(({ text }) => text)).toEqual(['the whole run', '0ps to 1us', '2us to 3us']);
    // the part that job 0 touches: one link
    expect(plot!.files.map(({ name }) => name)).toEqual([
      'congested-fraction',
      'congested-fraction-job-0',
      'congested-fraction-job-1',
    ]);
    expect(plot!.files[1]!.svg).toContain('7 links and 2 switches');
  });

  it('tells messages apart by their tags; what samples put together is in no part', () => {
    const [plot] = congestedPlots([
      runOf([
        { link: [4, 6], packets: 30, congested: 0, tag: 2 },
        { link: [4, 6], packets: 8, congested: 0, tag: 4 },
        { link: [4, 6], packets: 1, congested: 0, tag: several },
      ]),
    ]);
    expect(plot!.desk.slices.map(({ name, frames }) => [name, frames[0]!.traffic[0]])).toEqual([
      ['all traffic', 39],
      ['tag 2', 30],
      ['tag 4', 8],
    ]);
    expect(plot!.files[2]!.name).toBe('congested-fraction-tag-4');
  });

  it('takes what chance may give for nothing: noise adds up as squares do', () => {
    expect(noteOf(50)).toContain('The estimates of 1 direction of links are no larger than chance may give');
    expect(noteOf(50)).toContain('4 links and 1 switch.');
    expect(noteOf(51)).toBe('Left out, as they carry nothing: 3 links.');
  });

  it('has one scale for all runs of a report, and takes the one that is given', () => {
    const half = way.map((row) => ({ ...row, packets: row.packets / 2, congested: row.congested / 2 }));
    expect(widths(congestedPlots([runOf(way, 'a'), runOf(half, 'b')]))).toEqual([10, 5]);
    expect(widths(congestedPlots([runOf(half, 'b')], 250))).toEqual([2]);
    // 20 a pixel: a line of 50 is cut to 36; a bar of 200 has room
    expect(congestedPlots([runOf(way)], 20)[0]!.files[0]!.svg).toContain('2 of the widest are cut');
    expect(congestedPlots([runOf(way), { ...runOf([]), label: 'none' }])[1]).toBeNull();
  });

  it('of 10,000 links has as many lines as can be told apart, and loses no packet', () => {
    const large = generateFabric('leaf-spine', { leaves: 100, spines: 100, hostsPerLeaf: 20 });
    const traffic = Float64Array.from({ length: large.portCount }, (_, port) => 1 + (port % 7));
    const { boxes, links, note } = congestedPlan(large, traffic, () => null);
    const lines = links.filter(({ halves }) => halves !== null);
    expect(lines.length).toBeLessThanOrEqual(1500);
    expect(boxes.length).toBeLessThanOrEqual(128);
    expect(note).toMatch(/^Many nodes share a box \(a box is 4 leaves; a box is 4 spines\)/);
    const ports = links.flatMap((link) => link.ports.flat());
    expect(new Set(ports).size).toBe(ports.length);
    expect(ports).toHaveLength(large.portCount);
    // a job of 16 hosts below two leaves is seen one by one
    const own = new Float64Array(large.portCount);
    const [low, high] = [large.hosts.length, large.hosts.length + 100];
    for (const leaf of [low, low + 1]) for (const spine of [high, high + 1]) own[portTo(leaf, spine, large)] = 1;
    const part = congestedPlan(large, own, () => null);
    expect(part.links).toHaveLength(4);
    expect(part.note).toBe('Left out, as they carry nothing: 11,996 links and 196 switches.');
  });
});

describe('the scale', () => {
  it('has shades of a tenth, and round numbers', () => {
    expect([0, 4, 6, 50, 94, 96, 200].map((congested) => shadeOf(congested, 100))).toEqual([0, 0, 1, 5, 9, 10, 10]);
    expect(shadeOf(0, 0)).toBe(0);
    expect([83.4, 1, 1.1, 2.01, 0.3, 500].map(roundUp)).toEqual([100, 1, 2, 5, 0.5, 500]);
  });
});
