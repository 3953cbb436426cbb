// OpenSM's small files: guid2lid (which port has which LIDs) and lists of GUIDs (roots of the tree, -a).
// Invariants: blank lines and # comments have no meaning; every other line that is not of the form is an error with its
// place, as for OpenSM a bad line spoils the whole list. Ranges of LIDs in guid2lid say the LMC: that of all hosts is
// one. Format: docs/formats/infiniband.md.

import { FileProblems, type Diagnostics } from '../base/diagnostics.js';
import { NodeKind } from '../fabric/fabric.js';
import { guidText, lidCount, maxLid, maxLmc, withAttachedLids, type FabricIdentity } from '../fabric/identity.js';
import { LineScanner } from './line-scanner.js';
import type { IdentifiedFabric } from './subnet-records.js';

const longestWord = 40;

/**
 * Reads one GUID as strtoull does with base 0: 0x and digits, or decimal; null if it is none or needs more than 64
 * bits.
 */
function parseGuid(word: string): bigint | null {
  if (!/^(0[xX][0-9a-fA-F]{1,16}|[1-9]\d{0,19}|0)$/.test(word)) return null;
  const guid = BigInt(word);
  return guid < 1n << 64n ? guid : null;
}

/**
 * Reads guid2lid: lines of `0xGUID 0xMINLID 0xMAXLID`.
 * @returns the identity with the LIDs of the file; end ports that it does not name keep theirs. Ports that the fabric
 * has not are passed
 *   over with a warning
 */
export function readGuid2lid(
  text: string,
  file: string,
  { fabric, identity }: IdentifiedFabric,
  diagnostics: Diagnostics,
): FabricIdentity {
  const problems = new FileProblems(file, diagnostics);
  const isHost = (node: number): boolean => fabric.nodeKind[node] === NodeKind.host;
  const nodeOf = new Map(Array.from(identity.portGuid, (guid, node) => [guid, node]));
  const lid = identity.lid.slice();
  const ownerOf = new Map<number, bigint>();
  const lidOf = new Map<bigint, number>();
  /** LMC of each node, as far as the file says it, and lines that say it */
  const lmc = Uint8Array.from(identity.portGuid, (_, node) => 31 - Math.clz32(lidCount(identity, node)));
  const said: { readonly node: number; readonly line: number }[] = [];
  const scanner = new LineScanner(text);
  let unknown = 0;
  let lines = 0;
  while (scanner.seek() && !diagnostics.full) {
    lines++;
    const at = { line: scanner.line, column: 1 };
    const words = scanner.words(4, longestWord).map(({ text: word }) => word);
    scanner.skipLine();
    const guid = parseGuid(words[0] ?? '');
    const [first, last] = [words[1], words[2]].map((word) =>
      /^(0[xX][0-9a-fA-F]{1,8}|\d{1,9})$/.test(word ?? '') ? Number(word) : -1,
    );
    if (words.length !== 3 || guid === null || first! < 1 || last! < first! || last! > maxLid) {
      problems.error('bad-guid2lid', at, 'this is no line of guid2lid', {
        got: words.join(' '),
        wanted: '0x0002c900001000c1 0x0025 0x0025: GUID, first and last LID',
      });
    } else if (!isRange(first!, last! - first! + 1)) {
      problems.error('bad-guid2lid', at, 'the range of LIDs is none that an LMC gives', {
        got: `${first} to ${last}`,
        wanted: `1, 2, 4 or 8 LIDs (LMC 0 to ${maxLmc}), the first a multiple of their number`,
      });
    } else if (otherOwner(ownerOf, first!, last!, guid) !== null) {
      problems.error(
        'duplicate-lid',
        at,
        `the LID belongs to ${guidText(otherOwner(ownerOf, first!, last!, guid)!.guid)} already`,
        { got: String(otherOwner(ownerOf, first!, last!, guid)!.lid) },
      );
    } else if (lidOf.has(guid) && lidOf.get(guid) !== first) {
      problems.error('duplicate-guid', at, `a second LID for ${guidText(guid)}`, {
        got: String(first),
        hint: `the first one is ${lidOf.get(guid)}`,
      });
    } else {
      for (let own = first!; own <= last!; own++) ownerOf.set(own, guid);
      lidOf.set(guid, first!);
      const node = nodeOf.get(guid);
      if (node !== undefined) {
        lid[node] = first!;
        lmc[node] = 31 - Math.clz32(last! - first! + 1);
        said.push({ node, line: at.line });
      } else if (identity.attached?.some(({ portGuid }) => portGuid === guid) !== true) unknown++;
    }
  }
  if (lines === 0)
    problems.error('empty-file', { line: 0, column: 0 }, 'there is no LID in the file', {
      wanted: '0xGUID 0xMINLID 0xMAXLID, one line per port',
    });
  if (unknown > 0)
    problems.warning('unknown-guid', { line: 0, column: 0 }, `${unknown} of ${lines} ports are not in the fabric`);
  const { lmc: _, attached, ...rest } = identity;
  const numbered = { ...rest, lid, ...(lmc.some((own) => own > 0) ? { lmc } : {}) };
  checkLmc(numbered, said, isHost, problems);
  reportDoubles(numbered, problems);
  return {
    ...numbered,
    ...(attached === undefined
      ? {}
      : { attached: withAttachedLids(attached, (port) => lidOf.get(port.portGuid) ?? port.lid) }),
  };
}

/** Whether an end port may have so many LIDs from one on. */
function isRange(first: number, count: number): boolean {
  return [1, 2, 4, 8].includes(count) && first % count === 0;
}

/** The first LID of a range that another port has, and that port. */
function otherOwner(
  ownerOf: ReadonlyMap<number, bigint>,
  first: number,
  last: number,
  guid: bigint,
): { readonly lid: number; readonly guid: bigint } | null {
  for (let lid = first; lid <= last; lid++) {
    const owner = ownerOf.get(lid);
    if (owner !== undefined && owner !== guid) return { lid, guid: owner };
  }
  return null;
}

/** All hosts have one LMC; switches have that or none. */
function checkLmc(
  { lmc, nodeName }: Pick<FabricIdentity, 'lmc' | 'nodeName'>,
  said: readonly { readonly node: number; readonly line: number }[],
  isHost: (node: number) => boolean,
  problems: FileProblems,
): void {
  const first = nodeName.findIndex((_, node) => isHost(node));
  if (lmc === undefined || first === -1) return;
  const lineOf = new Map(said.map(({ node, line }) => [node, line]));
  for (let node = 0; node < lmc.length; node++) {
    if (lmc[node] === lmc[first] || (!isHost(node) && lmc[node] === 0)) continue;
    const line = lineOf.get(node) ?? lineOf.get(first) ?? 0;
    problems.error(
      'different-lmc',
      { line, column: line === 0 ? 0 : 1 },
      `${nodeName[node]} has not the LMC of ${nodeName[first]}`,
      { got: `LMC ${lmc[node]}`, wanted: `LMC ${lmc[first]}`, hint: 'is the file of this fabric, and complete?' },
    );
    return;
  }
}

function reportDoubles(identity: FabricIdentity, problems: FileProblems): void {
  const { lid, nodeName } = identity;
  const nodeOf = new Map<number, number>();
  for (let node = 0; node < lid.length; node++) {
    if (lid[node] === 0) continue;
    for (let own = lid[node]!; own < lid[node]! + lidCount(identity, node); own++) {
      const other = nodeOf.get(own);
      nodeOf.set(own, node);
      if (other === undefined) continue;
      problems.error('duplicate-lid', { line: 0, column: 0 }, `${nodeName[node]} and ${nodeName[other]} have one LID`, {
        got: String(own),
        hint: 'is the file of this fabric, and complete?',
      });
      break;
    }
  }
}

/**
 * Reads a list of switches by GUIDs of their nodes or end ports, one at the start of each line; the rest of a line is a remark.
 * @returns their nodes, in the order of the file
 */
export function readSwitchList(
  text: string,
  file: string,
  identity: FabricIdentity,
  isSwitch: (node: number) => boolean,
  diagnostics: Diagnostics,
): number[] {
  const problems = new FileProblems(file, diagnostics);
  // OpenSM's -a wants node GUIDs; people also have those of the switches' own ports
  const nodeOf = new Map(
    [...identity.portGuid, ...identity.nodeGuid].map((guid, i) => [guid, i % identity.nodeGuid.length]),
  );
  const nodes: number[] = [];
  const scanner = new LineScanner(text);
  while (scanner.seek() && !diagnostics.full) {
    scanner.word();
    const at = scanner.position;
    const word = scanner.value(longestWord);
    scanner.skipLine();
    const guid = parseGuid(word);
    const node = guid === null ? undefined : nodeOf.get(guid);
    if (guid === null)
      problems.error('bad-guid', at, 'this is no GUID', {
        got: word,
        wanted: 'a GUID such as 0x0002c90000030000',
      });
    else if (node === undefined || !isSwitch(node))
      problems.error('unknown-switch', at, 'the fabric has no switch with this GUID', { got: word });
    else if (!nodes.includes(node)) nodes.push(node);
  }
  if (nodes.length === 0 && !diagnostics.hasErrors)
    problems.error('empty-file', { line: 0, column: 0 }, 'there is no GUID in the file');
  return nodes;
}
