// What an operator has of a fabric that is no tree any more, as files: capture, tables in both forms, counters, lanes, levels,
// LIDs. All of one moment, without a contradiction.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NodeKind } from '../../src/fabric/fabric.js';
import { guidText } from '../../src/fabric/identity.js';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { lftTexts } from '../../src/formats/opensm-lfts-writer.js';
import { routeUpDown } from '../../src/routing/minhop.js';
import { identifiedSwitches } from './switch-fabrics.js';

const links = [0, 1, 2, 3].flatMap((leaf) => [4, 5, 6].map((spine): [number, number] => [leaf, spine]));
const drawn = identifiedSwitches([3, 3, 3, 3, 0, 2, 0], links.slice(1), 11);
/** Four leaves below three spines, switches of one name, two hosts on a spine, a cable missing. */
export const { fabric } = drawn;
const isHost = (node: number): boolean => fabric.nodeKind[node] === NodeKind.host;
export const identity = {
  ...drawn.identity,
  nodeName: drawn.identity.nodeName.map((_, node) => (isHost(node) ? `gpu${node} mlx5_0` : 'Quantum switch')),
};
const source = { fabric, identity };
const guid = (node: number): string => `0x${identity.nodeGuid[node]!.toString(16)}`;
const switches = [...fabric.nodeKind.keys()].filter((node) => !isHost(node));
const tables = routeUpDown(fabric, identity, switches.slice(4))!;
/** All ports, ascending. */
export const ports = [...fabric.portNode.keys()];
const lfts = [...lftTexts(source, [tables])].join('');

/** Words that each port sends where every host sends to every other, by the tables. */
const sentWords = ports.map(() => 0);
for (const from of fabric.hosts)
  for (const to of fabric.hosts)
    for (let node = from; node !== to;) {
      const port = node === from ? fabric.portOffset[from]! : tables.port(node, to);
      sentWords[port]! += 1000 + 70 * from + 3 * to;
      node = fabric.portNode[fabric.portPeer[port]!]!;
    }
const receivedWords = ports.map((port) => sentWords[fabric.portPeer[port]!]!);

/** A valid file of each kind. */
export const good = {
  'f.net': writeIbnetdiscover(source),
  'a.lfts': lfts,
  'dumped.lfts': lfts.replaceAll(
    /^(0x\w+ \d+) # (Channel Adapter|Switch) portguid (0x\w+): ('.*')$/gm,
    '$1 : ($2 portguid $3: $4)',
  ),
  errors: ports
    .map((port) => {
      const node = fabric.portNode[port]!;
      return `Errors for ${guid(node)} "${identity.nodeName[node]!}"\n   GUID ${guid(node)} port ${identity.portNumber[port]!}: [SymbolErrorCounter == ${port + 1}] [PortXmitWait == ${7 * port + 1}]\n`;
    })
    .join(''),
  perfquery: ports
    .map(
      (port) =>
        `# Port extended counters: Lid ${identity.lid[fabric.portNode[port]!]!} port ${identity.portNumber[port]!} (CapMask: 0x1300)\nPortSelect:......................${identity.portNumber[port]!}\nPortXmitData:....................${sentWords[port]!}\nPortRcvData:.....................${receivedWords[port]!}\n`,
    )
    .join(''),
  'interfaces.csv': `timestamp,instance,interface,ifHCOutOctets,ifHCInOctets\n${[0, 1]
    .flatMap((time) =>
      ports.map(
        (port) =>
          `${1764280800 + 60 * time},lid ${identity.lid[fabric.portNode[port]!]!},swp${identity.portNumber[port]!},${4 * time * sentWords[port]!},${4 * time * receivedWords[port]!}\n`,
      ),
    )
    .join('')}`,
  sl2vl: switches
    .map((node) => {
      const own = Array.from({ length: fabric.portOffset[node + 1]! - fabric.portOffset[node]! }, (_, i) => i + 1);
      const rows = own.flatMap((a) => own.map((b) => `${a}   ${b}   : ${'0  1  '.repeat(8)}\n`));
      return `Switch ${guidText(identity.portGuid[node]!)}, base LID ${identity.lid[node]!}, "Quantum switch"\n#in out : 0  1\n${rows.join('')}`;
    })
    .join('\n'),
  lanes: [...fabric.hosts]
    .map((host) => {
      const others = [...fabric.hosts].filter((other) => other !== host);
      const rows = others.map((other) => `0x${identity.lid[other]!.toString(16).padStart(4, '0')} : 1\n`);
      return `Channel Adapter ${guidText(identity.portGuid[host]!)}, base LID ${identity.lid[host]!}, "x", port 1\n# LID  : SL\n${rows.join('')}\n`;
    })
    .join(''),
  guid2lid: [...identity.portGuid]
    .map((own, node) => {
      const lid = `0x${identity.lid[node]!.toString(16).padStart(4, '0')}`;
      return `${guidText(own)} ${lid} ${lid}\n`;
    })
    .join('\n'),
};
/** A kind of file, by its name. */
export type OperatorFile = keyof typeof good;

const on = ['--fabric', '@f.net'];
const withTables = [...on, '--tables', '@a.lfts'];
const tablesCommands = (file: string): string[][] => [
  ['route', 'import', ...on, '--tables', file],
  ['route', 'evaluate', ...on, '--tables', file, '--traffic', 'random-permutation'],
  ['route', 'repair', ...on, '--current', file],
  ['route', 'transition', file, '@a.lfts', ...on],
];
/** Commands that read a file of a kind, as @KIND, beside others that stand as they are. */
export const commands: Readonly<Record<OperatorFile, readonly string[][]>> = {
  'f.net': [
    ['topology', 'check', '@f.net'],
    ['topology', 'check', '@f.net', '--against', '@yesterday.net'],
    ['topology', 'check', '@yesterday.net', '--against', '@f.net'],
    ['route', 'import', ...withTables, '--counters', '@errors'],
    ['route', 'evaluate', ...withTables, '--traffic', 'all-to-all'],
    ['route', 'repair', ...on, '--current', '@a.lfts', '--traffic', 'all-to-all'],
  ],
  'a.lfts': tablesCommands('@a.lfts'),
  'dumped.lfts': tablesCommands('@dumped.lfts'),
  errors: [
    ['route', 'import', ...on, '--counters', '@errors'],
    ['route', 'import', ...withTables, '--counters', '@errors', '--before', '@errors'],
  ],
  perfquery: [
    ['route', 'import', ...on, '--counters', '@perfquery', '--before', '@perfquery', '--interval', '9s'],
    ['route', 'import', ...withTables, '--counters', '@perfquery'],
    ['reconstruct', ...withTables, '--counters', '@perfquery', '--work', '2000'],
  ],
  'interfaces.csv': [
    ['reconstruct', ...withTables, '--counters', '@interfaces.csv', '--work', '2000'],
    ['reconstruct', ...on, '--tables', 'ecmp', '--counters', '@interfaces.csv', '--work', '2000'],
  ],
  sl2vl: [['route', 'import', ...withTables, '--sl2vl', '@sl2vl', '--virtual-lanes', '2']],
  lanes: [['route', 'evaluate', ...withTables, '--lanes', '@lanes', '--traffic', 'all-to-all']],
  guid2lid: [
    ['route', 'import', ...withTables, '--guid2lid', '@guid2lid'],
    ['route', 'repair', ...on, '--current', '@a.lfts', '--guid2lid', '@guid2lid'],
  ],
};
/** All kinds. */
export const kinds = Object.keys(good) as OperatorFile[];

/** The lines that differ, for the one who looks at a fault. */
export function changedLines(from: string, to: string): string[] {
  const [a, b] = [from.split('\n'), to.split('\n')];
  let first = 0;
  while (first < a.length && a[first] === b[first]) first++;
  return [
    `line ${first + 1}`,
    ...a.slice(first, first + 3).map((line) => `- ${line}`),
    ...b.slice(first, first + 4).map((line) => `+ ${line}`),
  ];
}

/** Warnings of a command with --json. */
export const warningsIn = (stdout: string): unknown[] => (JSON.parse(stdout) as { warnings: unknown[] }).warnings;

/** Writes all files into a folder, with the same capture once more as yesterday's. */
export async function writeOperatorFiles(folder: string): Promise<void> {
  for (const [name, text] of Object.entries({ ...good, 'yesterday.net': good['f.net'] }))
    await writeFile(join(folder, name), text);
}
