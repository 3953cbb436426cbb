// What `ibnetdiscover` prints (and ibsim reads) -> Fabric and identity.
//   Switch  48 "S-0002c90000010000"   # "leaf00" base port 0 lid 2 lmc 0
//   [33]    "S-0002c90000020000"[1]   # "spine00" lid 3 4xEDR
// Names, LIDs and rates stand in comments: without them a node is called by its GUID and has LID 0.
// Invariant: every mistake has file:line:column. What becomes of the records: subnet-records.ts. Format:
// docs/formats/infiniband.md.

import { FileProblems, wholeFile, type Diagnostics, type Position } from '../base/diagnostics.js';
import { maxNodes } from '../fabric/fabric.js';
import { maxLid, maxRadix } from '../fabric/identity.js';
import {
  commentOf,
  linkRateBps,
  readNodeLine,
  readPortLine,
  readUsualPortLine,
  type PortLine,
} from './ibnetdiscover-lines.js';
import { linesOf } from './lines.js';
import { LogLines } from './log-lines.js';
import { fabricOfRecords, type IdentifiedFabric, type NodeRecord, type PortRecord } from './subnet-records.js';

/**
 * Reads a fabric as ibnetdiscover prints it, or ibsim's net file.
 * @param file its name, for messages
 * @param diagnostics receives every mistake, and warnings about what was left out
 * @returns null if the file has errors
 */
export function readIbnetdiscover(text: string, file: string, diagnostics: Diagnostics): IdentifiedFabric | null {
  return new IbnetdiscoverReader(file, diagnostics).read(text);
}

const openingBracket = 91;

const lineForms = 'vendid=, switchguid=, Switch, Ca, or a port such as [1] "S-..."[2]';

class IbnetdiscoverReader extends FileProblems {
  private readonly nodes = new Map<string, NodeRecord>();
  private readonly names = new Map<string, string>();
  private guid: bigint | null = null;
  private portGuid: bigint | null = null;
  private current: NodeRecord | null = null;
  /** a record whose first line is wrong: its ports are passed over */
  private skipping = false;
  /** the line has no end: it may be cut off within its comment */
  private unended = false;
  /** ibnetdiscover gives every link its speed, files by hand may not */
  private anyRate = false;
  /** the first link without a speed */
  private withoutRate: Position | null = null;
  /** nodes whose GUID is another than that in their name, and the first of them */
  private misnamed = 0;
  private misnamedAt: Position = wholeFile;
  private readonly log = new LogLines(this.file, this.diagnostics);

  read(text: string): IdentifiedFabric | null {
    for (const { line, text: whole, isEnded } of linesOf(text, this)) {
      this.unended = !isEnded;
      this.line(whole, line);
    }
    const { onlyOthers } = this.log;
    if (this.nodes.size === 0 && onlyOthers !== null && !this.failed)
      this.error('unknown-line', onlyOthers.at, 'this is no line of ibnetdiscover', {
        got: onlyOthers.text,
        wanted: lineForms,
      });
    else if (this.nodes.size === 0 && !this.failed)
      this.error('empty-file', wholeFile, 'there is no node in the file', { wanted: 'the output of ibnetdiscover' });
    this.log.end();
    this.checkRates();
    if (this.failed) return null;
    if (this.misnamed > 0)
      this.warning(
        'contradicting-guid',
        this.misnamedAt,
        `${this.misnamed} nodes have another GUID than their name: the line before the node counts`,
      );
    return fabricOfRecords(this.nodes, this);
  }

  private line(whole: string, line: number): void {
    if (this.current !== null && !this.unended && whole.charCodeAt(0) === openingBracket) {
      const port = readUsualPortLine(whole, this.current.isSwitch);
      if (port !== null) {
        this.port(this.current, port, '', { line, column: 1 });
        return;
      }
    }
    const { body, comment, commentColumn } = commentOf(whole);
    const trimmed = body.trimEnd();
    const first = trimmed.search(/\S/);
    if (first === -1) return;
    const at = { line, column: first + 1 };
    const content = trimmed.slice(first);
    if (content.startsWith('[')) this.portLine(content, comment, at);
    // with -g the nodes of a chassis stand below a line of their own
    else if (/^(?:Chassis \d|Non-Chassis Nodes$)/.test(content)) this.current = null;
    else if (/^(Switch|Ca|Hca|Rt)\b/.test(content))
      this.nodeLine(content, comment, { line, column: commentColumn }, at);
    else this.property(content, at);
  }

  /** `vendid=`, `devid=`, `sysimgguid=`, `switchguid=0x..(..)`, `caguid=`, `rtguid=` */
  private property(content: string, at: Position): void {
    const match = /^(\w{1,20})\s*=\s*0x([0-9a-fA-F]{1,16})(?:\(([0-9a-fA-F]{1,16})\))?$/.exec(content);
    if (match === null) {
      if (!this.log.takes(content, at))
        this.error('unknown-line', at, 'this is no line of ibnetdiscover', { got: content, wanted: lineForms });
      return;
    }
    this.log.begin();
    if (/^(switch|ca|rt)guid$/.test(match[1]!)) {
      this.guid = BigInt(`0x${match[2]!}`);
      // in brackets stands the GUID of a switch's port 0, of an adapter's first port
      this.portGuid = match[1] === 'switchguid' && match[3] !== undefined ? BigInt(`0x${match[3]}`) : null;
    }
    this.current = null;
    this.skipping = false;
  }

  private nodeLine(content: string, comment: string, commentAt: Position, at: Position): void {
    const { guid, portGuid } = this;
    this.log.begin();
    this.guid = null;
    this.portGuid = null;
    this.current = null;
    this.skipping = true;
    const node = readNodeLine(content, comment);
    if (node === null) {
      this.error('bad-node', at, 'the node has not the usual form', {
        got: content,
        wanted: 'Switch 36 "S-0002c90000010000"',
      });
      return;
    }
    if (node.radix < 1 || node.radix > maxRadix)
      this.error('bad-radix', at, 'the number of ports is out of range', {
        got: String(node.radix),
        wanted: `1 to ${maxRadix}`,
      });
    else if (this.nodes.has(node.name))
      this.error('duplicate-node', at, `the node ${node.name} stands here a second time`, {
        hint: `first on line ${this.nodes.get(node.name)!.at.line}`,
      });
    else if (node.lid > maxLid)
      this.error('bad-lid', commentAt, 'the LID is out of range', { got: String(node.lid), wanted: `0 to ${maxLid}` });
    else if (this.nodes.size >= maxNodes) this.error('too-large', at, `more than ${maxNodes} nodes`);
    else {
      const ownGuid = guid ?? node.guidOfName;
      if (node.guidOfName !== null && ownGuid !== node.guidOfName && this.misnamed++ === 0) this.misnamedAt = at;
      if (ownGuid === null) {
        this.error('missing-guid', at, `the node ${node.name} has no GUID`, {
          wanted: 'a line such as switchguid=0x0002c90000010000 before it',
        });
        return;
      }
      const { name, isSwitch, isRouter, radix, description, lid, lmc } = node;
      const called = description === '' ? name : description;
      const ports = new Map<number, PortRecord>();
      // named one by one: a spread takes longer than all else about a node
      const own = { name, isSwitch, isRouter, radix, description: called, guid: ownGuid, lid, lmc, at, ports };
      this.current = portGuid === null || portGuid === ownGuid ? own : { ...own, portGuid };
      this.nodes.set(node.name, this.current);
      this.skipping = false;
    }
  }

  private portLine(content: string, comment: string, at: Position): void {
    const { current } = this;
    if (this.skipping) return;
    if (current === null) {
      this.error('port-without-node', at, 'a port without a node before it', {
        wanted: 'a line that begins with Switch or Ca',
      });
      return;
    }
    const port = readPortLine(content, comment, current.isSwitch);
    if (port === null) {
      this.error('bad-port', at, 'the port has not the usual form', {
        got: content,
        wanted: '[1] "S-0002c90000020000"[8]',
      });
      return;
    }
    this.port(current, port, comment, at);
  }

  private port(current: NodeRecord, port: PortLine, comment: string, at: Position): void {
    if (port.number < 1 || port.number > current.radix)
      this.error('port-beyond-radix', at, `${current.description} has ${current.radix} ports`, {
        got: String(port.number),
        wanted: `1 to ${current.radix}`,
      });
    else if (current.ports.has(port.number))
      this.error('duplicate-port', at, `port ${port.number} of ${current.description} stands here a second time`, {
        hint: `first on line ${current.ports.get(port.number)!.at.line}`,
      });
    else if (port.lid > maxLid)
      this.error('bad-lid', at, 'the LID is out of range', { got: String(port.lid), wanted: `0 to ${maxLid}` });
    else if (this.unended && this.anyRate && (port.rate === '' || linkRateBps(port.rate) === null))
      this.error('truncated', at, 'the file ends within this line', {
        got: comment.trim(),
        wanted: 'the speed of the link, such as 4xEDR, and the end of the line',
        hint: 'is the file cut off?',
      });
    else if (port.rate !== '' && linkRateBps(port.rate) === null)
      this.error('bad-rate', at, 'the width and speed of the link are not known', {
        got: port.rate,
        wanted: 'such as 4xEDR, 2xHDR or 4xNDR',
        hint: 'to go on, write what the cable has in its place, on the lines of both its ends',
      });
    else {
      this.anyRate ||= port.rate !== '';
      // a cable from a switch to itself is left out
      if (port.rate === '' && port.remoteName !== current.name) this.withoutRate ??= at;
      const { number, guid, remotePort, lid, lmc, remoteLid, rate } = port;
      // named one by one: a spread makes objects of three times the size, and large fabrics have 100,000 ports
      current.ports.set(number, {
        number,
        guid,
        remoteName: this.nameOnce(port.remoteName),
        remotePort,
        lid,
        lmc,
        remoteLid,
        rateBps: rate === '' ? null : linkRateBps(rate),
        at,
      });
    }
  }

  /** The same string for equal names of nodes: every node is named by all its neighbours. */
  private nameOnce(name: string): string {
    const known = this.names.get(name);
    if (known !== undefined) return known;
    this.names.set(name, name);
    return name;
  }

  /** Without any speed a file is one by hand, of links that are alike; with some, what is missing is not guessed. */
  private checkRates(): void {
    if (this.withoutRate === null || this.failed) return;
    if (this.anyRate)
      this.error('bad-rate', this.withoutRate, 'the link has no speed, but others have', {
        wanted: 'a width and a speed at the end of the line, such as 4xEDR',
        hint: 'to go on, write what the cable has there, on the lines of both its ends',
      });
    else this.warning('no-rate', this.withoutRate, 'no link has a speed: 4xEDR is taken for all');
  }
}
