// ibdiagnet2.lst, a line for each link -> Fabric and identity.
//   { SW Ports:24 SystemGUID:0002c90000010000 NodeGUID:… PortGUID:… VenID:000002C9 DevID:0000CB20 Rev:00000000
//   {leaf00} LID:0002 PN:01 } { CA Ports:01 … {node000 HCA-1} LID:0001 PN:01 } PHY=4x LOG=ACT SPD=25       (one line)
// Numbers are hexadecimal, of ports and LIDs too; SPD is a lane's rate in Gb/s as it is sold (2.5, 5, 10, 14, 25, 50,
// 100, 200, or FDR10).
// Invariant: every mistake has its line; each pattern takes linear time. Not kept: links that are not up.

import { FileProblems, wholeFile, type Diagnostics } from '../base/diagnostics.js';
import { linkRateBps } from './ibnetdiscover-lines.js';
import { LogLines } from './log-lines.js';
import { SubnetLinks, type SubnetEnd } from './subnet-links.js';
import type { IdentifiedFabric } from './subnet-records.js';
import { eachLine } from './lines.js';

/** How each line begins. */
export const linkListBegins = /^\{ ?(?:CA|SW|RT)(?:-SM)? Ports:/;

const hex16 = '[0-9a-fA-F]{16}';
const endForm = new RegExp(
  String.raw`^\{[ \t]*(CA|SW|RT)(?:-SM)?[ \t]+Ports:([0-9a-fA-F]{1,2})[ \t]+SystemGUID:${hex16}[ \t]+NodeGUID:(${hex16})[ \t]+PortGUID:(${hex16})[ \t]+VenID:\w{1,16}[ \t]+DevID:\w{1,16}[ \t]+Rev:\w{1,16}[ \t]+(?:\{(.{0,256})\}[ \t]*)?LID:([0-9a-fA-F]{1,4})[ \t]+PN:([0-9a-fA-F]{1,2})[ \t]*\}$`,
);
const tailForm = /PHY=(\d{1,2}x)[ \t]+LOG=(\w{1,10})(?:[ \t]+SPD=([\w.?-]{1,20}))?$/;
/** between two ends: one ends, the other begins */
const between = /\}[ \t]+(?=\{[ \t]*(?:CA|SW|RT)(?:-SM)?[ \t]+Ports:)/g;

/** Names of speeds by what SPD says. */
const speedNames: Readonly<Record<string, string>> = {
  '2.5': 'SDR',
  '5': 'DDR',
  '10': 'QDR',
  FDR10: 'FDR10',
  FDR_10: 'FDR10',
  '14': 'FDR',
  '25': 'EDR',
  '50': 'HDR',
  '100': 'NDR',
  '200': 'XDR',
};

/** Reads ibdiagnet's list of links. @returns null if the file has errors */
export function readLinkList(text: string, file: string, diagnostics: Diagnostics): IdentifiedFabric | null {
  const problems = new FileProblems(file, diagnostics);
  const links = new SubnetLinks(file, diagnostics);
  const log = new LogLines(file, diagnostics);
  let down = 0;
  eachLine(text, problems, (content, at) => {
    if (content.startsWith('#') || log.takes(content, at, linkListBegins)) return;
    const tail = tailForm.exec(content);
    between.lastIndex = 0;
    const middle = between.exec(content);
    const first = middle === null ? null : endForm.exec(content.slice(0, middle.index + 1));
    const second =
      middle === null || tail === null ? null : endForm.exec(content.slice(between.lastIndex, tail.index).trimEnd());
    if (tail === null || first === null || second === null) {
      problems.error('unknown-line', at, 'this is no line of ibdiagnet2.lst', {
        got: content,
        wanted: '{ SW Ports:24 … LID:0002 PN:01 } { CA Ports:01 … } PHY=4x LOG=ACT SPD=25',
      });
      return;
    }
    const [, width, state, speed = ''] = tail;
    if (!/^(?:ACT|INI|ARM)$/.test(state!)) {
      down++;
      return;
    }
    const rateBps = Object.hasOwn(speedNames, speed) ? linkRateBps(`${width!}${speedNames[speed]!}`) : null;
    if (rateBps === null)
      problems.error('bad-rate', at, 'the width and speed of the link are not known', {
        got: content.slice(tail.index),
        wanted: 'PHY=4x and SPD=2.5, 5, 10, 14, 25, 50, 100, 200 or FDR10',
      });
    else links.add(endOf(first), endOf(second), rateBps, at);
  });
  log.end();
  if (down > 0) problems.warning('link-down', wholeFile, `${down} links that are not up are left out`);
  return links.build();
}

function endOf(match: RegExpExecArray): SubnetEnd {
  const [, kind, ports, nodeGuid, portGuid, description = '', lid, port] = match;
  return {
    node: {
      kind: kind!,
      guid: BigInt(`0x${nodeGuid!}`),
      portGuid: BigInt(`0x${portGuid!}`),
      description: description.trim(),
      radix: parseInt(ports!, 16),
      lid: parseInt(lid!, 16),
    },
    port: parseInt(port!, 16),
    portGuid: kind === 'SW' ? null : BigInt(`0x${portGuid!}`),
    portLid: parseInt(lid!, 16),
  };
}
