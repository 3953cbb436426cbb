// What `ibnetdiscover -p` prints, a line for each linked port -> Fabric and identity.
//   SW     2  4 0x0002c90000010000 4x EDR - CA     6  1 0x0002c90000100011 ( 'leaf00' - 'node001 HCA-1' )
// type, LID, port, GUID, width and speed; the same of the other end; names of both. The GUID of an adapter is that of
// its port, and numbers of ports are not said: a node has as many as the highest that has a link.
// Invariant: every mistake has its line; regular expressions without nested repetition. Not kept: ports without a link.

import { FileProblems, type Diagnostics } from '../base/diagnostics.js';
import { linkRateBps } from './ibnetdiscover-lines.js';
import { LogLines } from './log-lines.js';
import { SubnetLinks, type SubnetEnd } from './subnet-links.js';
import type { IdentifiedFabric } from './subnet-records.js';
import { eachLine } from './lines.js';

/** How each line begins. */
export const portsReportBegins = /^(?:CA|SW|RT|\?\?)[ \t]+\d{1,7}[ \t]+\d{1,5}[ \t]+0x[0-9a-fA-F]{16}[ \t]/;

const end = String.raw`(CA|SW|RT)[ \t]+(\d{1,7})[ \t]+(\d{1,5})[ \t]+0x([0-9a-fA-F]{1,16})`;
const linked = new RegExp(
  String.raw`^${end}[ \t]+(\S{1,20})[ \t]+(\S{1,20})[ \t]+-[ \t]+${end}[ \t]+\( '(.{0,256})' - '(.{0,256})' \)$`,
);
const unlinked = new RegExp(String.raw`^${end}[ \t]+\S{1,20}[ \t]+\S{1,20}[ \t]+'.{0,256}'$`);

/** Reads the ports report of ibnetdiscover. @returns null if the file has errors */
export function readPortsReport(text: string, file: string, diagnostics: Diagnostics): IdentifiedFabric | null {
  const problems = new FileProblems(file, diagnostics);
  const links = new SubnetLinks(file, diagnostics);
  const log = new LogLines(file, diagnostics);
  eachLine(text, problems, (content, at) => {
    if (unlinked.test(content)) return;
    const match = linked.exec(content);
    if (match === null) {
      if (log.takes(content, at, portsReportBegins)) return;
      problems.error('unknown-line', at, 'this is no line of ibnetdiscover -p', {
        got: content,
        wanted: "SW 2 4 0x0002c90000010000 4x EDR - CA 6 1 0x0002c90000100011 ( 'leaf00' - 'node001' )",
      });
      return;
    }
    const rateBps = linkRateBps(`${match[5]!}${match[6]!}`);
    if (rateBps === null) {
      problems.error('bad-rate', at, 'the width and speed of the link are not known', {
        got: `${match[5]!} ${match[6]!}`,
        wanted: 'such as 4x EDR, 2x HDR or 4x NDR',
      });
      return;
    }
    links.add(endOf(match, 1, match[11]!), endOf(match, 7, match[12]!), rateBps, at);
  });
  log.end();
  return links.build();
}

function endOf(match: RegExpExecArray, from: number, description: string): SubnetEnd {
  const kind = match[from]!;
  const lid = Number(match[from + 1]);
  const guid = BigInt(`0x${match[from + 3]!}`);
  return {
    node: { kind, guid, description, radix: 0, lid },
    port: Number(match[from + 2]),
    portGuid: kind === 'SW' ? null : guid,
    portLid: lid,
  };
}
