// The picture of a fabric with its loads: every link is there once in each direction, in the colour of its class, worst
// links are named, and large fabrics stay small files. Places and colours are looked up in the SVG text.

import { describe, expect, it } from 'vitest';
import { recogniseFatTree, type FatTree } from '../../src/fabric/fat-tree.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { fitsDiagram } from '../../src/report/fabric-diagram.js';
import { fabricFigure } from '../../src/report/fabric-figure.js';
import { boundScale, loadColour, utilisationScale } from '../../src/report/load-classes.js';
import { stagesOf, worstPorts, type LoadedFabric } from '../../src/report/loaded-fabric.js';
import { fitting, textWidth } from '../../src/report/svg-text.js';
import { damaged, identifiedTree } from '../support/infiniband.js';

function treeOf(name: string, given: Readonly<Record<string, unknown>> = {}): FatTree {
  return recogniseFatTree(generateFabric(name, given)).tree!;
}

/** Loads by a rule; the bound is 1. */
function loaded(
  tree: FatTree,
  loadOf: (port: number) => number,
  nodeName: (node: number) => string = (node) => `n${node}`,
): LoadedFabric {
  const load = Float64Array.from({ length: tree.fabric.portCount }, (_, port) => loadOf(port));
  return {
    tree,
    load,
    relative: load,
    scale: boundScale,
    nodeName,
    portName: (port) =>
      `${nodeName(tree.fabric.portNode[port]!)}[${port - tree.fabric.portOffset[tree.fabric.portNode[port]!]! + 1}]`,
  };
}

function draw(fabric: LoadedFabric): string {
  return fabricFigure('title', ['note'], [{ title: 'panel', facts: ['fact'], loaded: fabric }]);
}

/** How many cells each class has in a picture of matrices. */
function cellsByClass(svg: string): Map<string, number> {
  return new Map(
    [...svg.matchAll(/<path fill="([^"]+)" d="(M[^V"]*v[^"]*)"/g)].map(([, fill, d]) => [
      fill!,
      d!.split('M').length - 1,
    ]),
  );
}

/** Widths of the areas of curves in a colour. */
function areas(svg: string, colour: string): number[] {
  return [...svg.matchAll(new RegExp(`<path d="M([\\d.]+) [^"]*H([\\d.]+)V[\\d.]+z" fill="${colour}"`, 'g'))].map(
    ([, from, to]) => Number(to) - Number(from),
  );
}

const small = treeOf('fat-tree', { pods: 2, edgesPerPod: 2, hostsPerEdge: 2, aggregationPerPod: 2, cores: 2 });

describe('stages', () => {
  it('hold every link between switches once in each direction', () => {
    const stages = stagesOf(small);
    expect(stages.map(({ title, ports }) => [title, ports.length])).toEqual([
      ['up, leaf to spine', 8],
      ['up, spine to core', 4],
      ['down, core to spine', 4],
      ['down, spine to leaf', 8],
    ]);
    const { fabric, nodeLevel } = small;
    for (const { level, up, ports } of stages) {
      for (const port of ports)
        expect([nodeLevel[fabric.portNode[port]!], nodeLevel[fabric.portNode[fabric.portPeer[port]!]!]]).toEqual(
          up ? [level, level + 1] : [level + 1, level],
        );
    }
  });

  it('name the most loaded first, none that is idle, no link of a host', () => {
    const { fabric } = small;
    const [a, b] = [stagesOf(small)[1]!.ports[0]!, stagesOf(small)[3]!.ports[2]!];
    const hostPort = fabric.portOffset[fabric.hosts[0]!]!;
    expect(
      worstPorts(
        loaded(small, (port) => (port === a ? 2 : port === b ? 3 : port === hostPort ? 9 : 0)),
        5,
      ),
    ).toEqual([b, a]);
  });
});

describe('classes of loads', () => {
  it.each([
    [0, 'idle'],
    [0.25, '0.25'],
    [0.2501, '0.5'],
    [1, '1'],
    [1 + 1e-12, '1'],
    [1.0001, '1.1'],
    [2.5, '3'],
    [300, 'more'],
  ])('%d is %s', (relative, text) => {
    expect(boundScale.classes.find(({ colour }) => colour === loadColour(boundScale, relative))!.text).toBe(text);
  });
});

describe('a small fabric', () => {
  it('is drawn link by link: the half at a switch has the colour of what that switch sends', () => {
    const [up, down] = [stagesOf(small)[0]!.ports[0]!, stagesOf(small)[2]!.ports[1]!];
    const fabric = loaded(small, (port) => (port === up ? 1.4 : port === down ? 0.6 : 0));
    expect(fitsDiagram(fabric)).toBe(true);
    const svg = draw(fabric);
    const halves = [
      ...svg.matchAll(
        /<line x1="([\d.]+)" y1="([\d.]+)" x2="([\d.]+)" y2="([\d.]+)" stroke="([^"]+)" stroke-width="[\d.]+"><title>([^<]*)<\/title>/g,
      ),
    ].map(([, , y1, , y2, colour, title]) => ({
      middle: (Number(y1) + Number(y2)) / 2,
      colour: colour!,
      title: title!,
    }));
    expect(halves).toHaveLength(24);
    expect(new Set(halves.map(({ title }) => title)).size).toBe(24);
    const of = (port: number): { middle: number; colour: string } =>
      halves.find(({ title }) => title.startsWith(`${fabric.portName(port)} to `))!;
    const peer = (port: number): number => small.fabric.portPeer[port]!;
    expect(of(up).colour).toBe(loadColour(boundScale, 1.4));
    expect(of(down).colour).toBe(loadColour(boundScale, 0.6));
    // y grows downwards: what goes up is drawn in the lower half
    expect(of(up).middle).toBeGreaterThan(of(peer(up)).middle);
    expect(of(down).middle).toBeLessThan(of(peer(down)).middle);
    expect(svg).toContain('pod 1');
    expect(svg).toContain('core group 1');
  });

  it('keeps odd names out of the markup', () => {
    const svg = draw(
      loaded(
        small,
        () => 1,
        (node) => `<b>"${node}" & a very long name of a switch in the third row of the second room`,
      ),
    );
    expect(svg).not.toMatch(/<b>|& a/);
    expect(svg).toContain('&lt;b&gt;&quot;');
  });

  it('of one switch has no links to draw; parallel links stand beside each other', () => {
    const parallel = treeOf('leaf-spine', { leaves: 2, spines: 1, hostsPerLeaf: 1, linksPerSpine: 3 });
    const starts = [
      ...draw(loaded(parallel, () => 1)).matchAll(/<line x1="([\d.]+)" y1="([\d.]+)" [^>]*><title>/g),
    ].map(([, x, y]) => `${x} ${y}`);
    expect(new Set(starts).size).toBe(12);
    const one = recogniseFatTree(generateFabric('leaf-spine', { leaves: 1, spines: 1, hostsPerLeaf: 2 })).tree!;
    expect(draw({ ...loaded(one, () => 0), tree: { ...one, levels: 1 } })).toContain(
      'there are no links between switches',
    );
  });
});

describe('a large fabric', () => {
  const quartz1 = treeOf('quartz1');

  it('is drawn as matrices: a cell for every link and direction, in its class', () => {
    const hot = new Set(stagesOf(quartz1).flatMap(({ ports }) => ports.slice(0, 3)));
    const fabric = loaded(quartz1, (port) => (hot.has(port) ? 2.5 : port % 2 === 0 ? 0.4 : 0));
    const svg = draw(fabric);
    const between = stagesOf(quartz1).flatMap(({ ports }) => ports);
    const expected = new Map<string, number>();
    for (const port of between)
      expected.set(
        loadColour(boundScale, fabric.relative[port]!),
        (expected.get(loadColour(boundScale, fabric.relative[port]!)) ?? 0) + 1,
      );
    expect(between).toHaveLength(6144);
    expect(cellsByClass(svg)).toEqual(expected);
    expect(svg.match(/fill="none" stroke="#000000"/g)).toHaveLength(8);
    expect(svg.length).toBeLessThan(200_000);
  });

  it('shows up and down apart: one hot link is one cell on its side', () => {
    for (const [stage, isLeft] of [
      [0, true],
      [1, true],
      [2, false],
      [3, false],
    ] as const) {
      const port = stagesOf(quartz1)[stage]!.ports[700]!;
      const [, x] = /<path fill="#b23a10" d="M([\d.]+) [\d.]+[^M]*"/.exec(
        draw(loaded(quartz1, (own) => (own === port ? 2.5 : 0))),
      )!;
      expect([stage, Number(x) < 600]).toEqual([stage, isLeft]);
    }
  });

  it('has curves of all loads, with what is above the bound in a colour of its own', () => {
    const [stage] = stagesOf(quartz1);
    const hot = new Set(stage!.ports.slice(0, 384));
    const svg = draw(loaded(quartz1, (port) => (hot.has(port) ? 1.2 : 0.4)));
    const [whole] = areas(svg, '#8296a8');
    // a quarter of the links on the way up from leaves, and none elsewhere
    expect(areas(svg, '#e46c1c')).toHaveLength(1);
    expect(areas(svg, '#e46c1c')[0]! / whole!).toBeCloseTo(0.25, 2);
  });

  it('leaves white what has no link', () => {
    const less = recogniseFatTree(
      damaged(identifiedTree('quartz1'), (low, high) => low === 'leaf00' && high.startsWith('spine0')).fabric,
    ).tree!;
    const links = stagesOf(less).reduce((sum, { ports }) => sum + ports.length, 0);
    expect(links).toBeLessThan(6144);
    expect([...cellsByClass(draw(loaded(less, () => 0.8))).values()].reduce((a, b) => a + b, 0)).toBe(links);
  });

  it('with 11,664 hosts stays within a megabyte', () => {
    const svg = draw(loaded(treeOf('fat-tree', { k: 36 }), (port) => (port % 7) / 3));
    expect([...cellsByClass(svg).values()].reduce((a, b) => a + b, 0)).toBe(46_656);
    expect(svg.length).toBeLessThan(1_000_000);
  });
});

describe('counted loads', () => {
  it('have a scale of their own, and no colour where nothing is known', () => {
    const [known, unknown] = [stagesOf(small)[0]!.ports[0]!, stagesOf(small)[0]!.ports[1]!];
    const counted = {
      ...loaded(small, (port) => (port === known ? 0.65 : port === unknown ? NaN : 0)),
      scale: utilisationScale,
    };
    const svg = draw(counted);
    expect(svg).toContain('share of the time');
    expect(svg).not.toContain('NaN');
    const line = (port: number): string =>
      new RegExp(`<line [^>]*><title>${counted.portName(port).replace(/[[\]]/g, '\\$&')} to [^<]*`).exec(svg)![0];
    expect(line(known)).toContain(loadColour(utilisationScale, 0.65));
    expect(line(known)).toContain('65.0 %');
    expect(line(unknown)).toMatch(/stroke-dasharray.*not known/);
    const large = { ...loaded(treeOf('quartz1'), (port) => (port % 5 === 0 ? NaN : 0.3)), scale: utilisationScale };
    const cells = [...cellsByClass(draw(large)).values()].reduce((a, b) => a + b, 0);
    expect(cells).toBe(
      stagesOf(large.tree)
        .flatMap(({ ports }) => ports)
        .filter((port) => port % 5 !== 0).length,
    );
  });
});

describe('text', () => {
  it('that does not fit ends with two dots', () => {
    expect(fitting('short', 100, 12)).toBe('short');
    const cut = fitting('a name that is much too long', 60, 12);
    expect(cut).toMatch(/^a name.*\.\.$/);
    expect(textWidth(cut, 12)).toBeLessThanOrEqual(60);
  });
});
