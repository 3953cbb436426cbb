// Ports by GUID of the node, GUID of the end port and LID; names that repeat; tools that name adapters by the port.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { runProgram } from '../../src/cli/program.js';
import { PortIndex, shownName } from '../../src/fabric/port-identity.js';
import { readInfinibandFabric } from '../../src/formats/infiniband-fabric.js';
import { readIbnetdiscover } from '../../src/formats/ibnetdiscover.js';
import { scriptedContext } from '../support/command-context.js';

// two switches of one name; an adapter with two ports, whose GUIDs are not that of the adapter; a switch whose port 0
// has a GUID of its own
const net = `switchguid=0x10(11)
Switch 8 "S-0000000000000010" # "factory" base port 0 lid 3 lmc 0
[1] "H-00000000000000a0"[1](a1) # "srv-a mlx" lid 10 4xEDR
[3] "H-00000000000000b0"[1](b1) # "srv-b mlx" lid 12 4xEDR
[7] "S-0000000000000020"[7] # "factory" lid 4 4xEDR

switchguid=0x20(20)
Switch 8 "S-0000000000000020" # "factory" base port 0 lid 4 lmc 0
[2] "H-00000000000000a0"[2](a2) # "srv-a mlx" lid 11 4xEDR
[7] "S-0000000000000010"[7] # "factory" lid 3 4xEDR

caguid=0xa0
Ca 2 "H-00000000000000a0" # "srv-a mlx"
[1](a1) "S-0000000000000010"[1] # lid 10 lmc 0 "factory" lid 3 4xEDR
[2](a2) "S-0000000000000020"[2] # lid 11 lmc 0 "factory" lid 4 4xEDR

caguid=0xb0
Ca 1 "H-00000000000000b0" # "srv-b mlx"
[1](b1) "S-0000000000000010"[3] # lid 12 lmc 0 "factory" lid 3 4xEDR
`;

function read(text: string): { source: NonNullable<ReturnType<typeof readIbnetdiscover>>; said: string[] } {
  const diagnostics = new Diagnostics();
  const source = readIbnetdiscover(text, 'f', diagnostics);
  return { source: source!, said: diagnostics.list.map(({ code, line }) => `${code} ${line}`) };
}

describe('a port has one identity', () => {
  const { source } = read(net);
  const index = new PortIndex(source);
  const nodeAt = (port: number | undefined): bigint | null =>
    port === undefined ? null : source.identity.portGuid[source.fabric.portNode[port]!]!;

  it.each([
    ['GUID of the adapter, first port', index.ofGuid(0xa0n, 1), 0xa1n],
    ['GUID of the adapter, second port', index.ofGuid(0xa0n, 2), 0xa2n],
    ['GUID of the port', index.ofGuid(0xa2n, 2), 0xa2n],
    ['GUID of the switch', index.ofGuid(0x10n, 7), 0x11n],
    ["GUID of the switch's port 0", index.ofGuid(0x11n, 7), 0x11n],
    ['LID of a port', index.ofLid(11, 2), 0xa2n],
    ['LID of a switch', index.ofLid(4, 7), 0x20n],
    ['a number without a link', index.ofGuid(0x10n, 2), null],
    ['a number of the other port', index.ofGuid(0xa2n, 1), null],
    ['no GUID of the fabric', index.ofGuid(0x99n, 1), null],
  ])('%s', (_, port, expected) => {
    expect(nodeAt(port)).toBe(expected);
  });

  it('names have a GUID where they repeat', () => {
    expect(Array.from(source.identity.nodeName, (__, node) => shownName(source.identity, node))).toEqual([
      'srv-a mlx 0x00000000000000a1',
      'srv-a mlx 0x00000000000000a2',
      'srv-b mlx',
      'factory 0x0000000000000011',
      'factory 0x0000000000000020',
    ]);
  });

  it('a line that says another LID of the other end is told, and that one counts which stands at the port', () => {
    const { source: odd, said } = read(
      net.replace('[7] "S-0000000000000010"[7] # "factory" lid 3', '[7] "S-0000000000000010"[7] # "factory" lid 9'),
    );
    expect(said).toEqual(['contradicting-lid 10']);
    expect([...odd.identity.lid]).toEqual([10, 11, 12, 3, 4]);
  });

  it.each([
    ['the adapter', 16, 3, ['contradicting-lid 2']],
    ['the switch', 2, 5, ['contradicting-lid 2']],
    ['neither', 2, 3, []],
  ])('ibnetdiscover -p: the two sides of a cable say two LIDs of %s', (__, adapterLid, switchLid, expected) => {
    const diagnostics = new Diagnostics();
    const text =
      `CA 2 1 0x00000000000000b1 4x EDR - SW 3 3 0x0000000000000010 ( 'srv-b mlx' - 'factory' )\n` +
      `SW ${switchLid} 3 0x0000000000000010 4x EDR - CA ${adapterLid} 1 0x00000000000000b1 ( 'factory' - 'srv-b mlx' )\n`;
    readInfinibandFabric(text, 'f', diagnostics);
    expect(
      diagnostics.list.filter(({ severity }) => severity === 'error').map(({ code, line }) => `${code} ${line}`),
    ).toEqual(expected);
  });
});

describe('weft route import', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'weft-identity-'));
    await writeFile(join(folder, 'f.net'), net);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function imported(
    counters: string,
    option?: '--json',
    fabric = 'f.net',
  ): Promise<{ text: string; code: number | undefined }> {
    await writeFile(join(folder, 'counters'), counters);
    const world = scriptedContext();
    const words = option === undefined ? [] : [option];
    const code = await runProgram(
      ['route', 'import', '--fabric', join(folder, fabric), '--counters', join(folder, 'counters'), ...words],
      world,
    );
    return { text: world.stdout.text + world.stderr.text, code };
  }

  const listed = `Errors for "srv-a mlx"
   GUID 0xa2 port 2: [SymbolErrorCounter == 65535] [LinkErrorRecoveryCounter == 8] [LinkDownedCounter == 2] [PortRcvSwitchRelayErrors == 149] [PortXmitDiscards == 649] [PortXmitWait == 77]
`;

  it('without tables: errors of an adapter that is named by its port, by kind, as they were printed', async () => {
    const { text, code } = await imported(listed, '--json');
    const { ports, counters, validity } = JSON.parse(text) as Record<string, never>;
    expect({ code, ports, validity }).toEqual({
      code: 0,
      validity: null,
      ports: [
        {
          guid: '0x00000000000000a0',
          portGuid: '0x00000000000000a2',
          lid: 11,
          name: 'srv-a mlx',
          port: 2,
          counters: {
            SymbolErrorCounter: 65_535,
            LinkErrorRecoveryCounter: 8,
            LinkDownedCounter: 2,
            PortRcvSwitchRelayErrors: 149,
            PortXmitDiscards: 649,
            PortXmitWait: 77,
          },
        },
      ],
    });
    const { links } = counters as unknown as { links: { errors: number; errorCounts: unknown[]; waitTicks: number }[] };
    expect(links).toMatchObject([{ errors: 66_343, waitTicks: 77 }]);
    expect(links[0]!.errorCounts[0]).toEqual({ name: 'SymbolErrorCounter', count: 65_535, isFull: true });
  });

  it('says first whether a cable is to be looked at', async () => {
    expect((await imported(listed)).text).toMatch(
      /errors {9}look at 1 port and its cable[^]*SymbolErrorCounter 65535 or more/,
    );
    const { text } = await imported(
      '   GUID 0xa2 port 2: [PortRcvSwitchRelayErrors == 149] [PortXmitDiscards == 649]\n',
    );
    expect(text).toMatch(/errors {9}none that a cable or a port makes[^]*PortXmitDiscards 649\n[^]*congestion/);
  });

  it('where many ports have errors, lists the worst and the busiest, and counts the others', async () => {
    const hosts = Array.from({ length: 60 }, (_, i) => i + 1);
    const guids = hosts.map((i) => (0x100 + i).toString(16).padStart(16, '0'));
    const star = [
      'switchguid=0x10(10)\nSwitch 64 "S-0000000000000010" # "sw" base port 0 lid 100 lmc 0',
      ...hosts.map((i) => `[${i}] "H-${guids[i - 1]}"[1](${guids[i - 1]}) # "n${i}" lid ${i} 4xEDR`),
      ...hosts.map(
        (i) =>
          `\nCa 1 "H-${guids[i - 1]}" # "n${i}"\n[1](${guids[i - 1]}) "S-0000000000000010"[${i}] # lid ${i} lmc 0 "sw" lid 100 4xEDR`,
      ),
    ].join('\n');
    await writeFile(join(folder, 'star.net'), star);
    // port i has i symbol errors; port 1 sent most; port 61 is none
    const counters = hosts
      .map((i) => `   GUID 0x10 port ${i}: [SymbolErrorCounter == ${i}]${i === 1 ? ' [PortXmitData == 25]' : ''}\n`)
      .join('');
    const { text } = await imported(counters, undefined, 'star.net');
    const shown = [...text.matchAll(/^ {4}sw\[(\d+)\] -> n\d+\[1\] /gm)].map(([, port]) => Number(port));
    expect(shown.sort((a, b) => a - b)).toEqual([1, ...hosts.filter((i) => i > 40)]);
    expect(text).toContain('look at 60 ports and their cables, first\n    sw[60] -> n60[1]\n');
    expect(text).toContain('and 39 ports more with errors');
    const { text: json } = await imported(counters, '--json', 'star.net');
    expect((JSON.parse(json) as { counters: { links: unknown[] } }).counters.links).toHaveLength(60);
    expect(text).toContain('star.net: 60 hosts, 1 leaf\n');
  });

  it('without anything to check says so', async () => {
    const world = scriptedContext();
    expect(await runProgram(['route', 'import', '--fabric', join(folder, 'f.net')], world)).toBe(2);
    expect(world.stderr.text).toContain('nothing to check');
  });
});
