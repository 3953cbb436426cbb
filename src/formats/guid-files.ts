// OpenSM's small files: guid2lid (which port has which LIDs) and lists of GUIDs (roots of the tree, -a).
// Invariants: blank lines and # comments have no meaning; every other line that is not of the form is an error with its
// place, as for OpenSM a bad line spoils the whole list. Of guid2lid, LMC above 0 (a range of LIDs) is refused. Format:
// docs/formats/infiniband.md.

import type { Diagnostics } from '../base/diagnostics.js';
import { guidText, maxLid, withAttachedLids, type FabricIdentity } from '../fabric/identity.js';
import { LineScanner } from './line-scanner.js';

const longestWord = 40;

/**
 * Reads one GUID as strtoull does with base 0: 0x and digits, or decimal; null if it is none or needs more than 64
 * bits.
 */
export function parseGuid(word: string): bigint | null {
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
  identity: FabricIdentity,
  diagnostics: Diagnostics,
): FabricIdentity {
  const nodeOf = new Map(Array.from(identity.portGuid, (guid, node) => [guid, node]));
  const lid = identity.lid.slice();
  const ownerOf = new Map<number, bigint>();
  const lidOf = new Map<bigint, number>();
  const scanner = new LineScanner(text);
  let unknown = 0;
  let lines = 0;
  let severalAt = 0;
  while (scanner.seek() && !diagnostics.full) {
    lines++;
    const words: string[] = [];
    const at = { line: scanner.line, column: 1 };
    while (words.length < 4 && scanner.word()) words.push(scanner.value(longestWord));
    scanner.skipLine();
    const guid = parseGuid(words[0] ?? '');
    const [first, last] = [words[1], words[2]].map((word) =>
      /^(0[xX][0-9a-fA-F]{1,8}|\d{1,9})$/.test(word ?? '') ? Number(word) : -1,
    );
    if (words.length !== 3 || guid === null || first! < 1 || last! < first! || last! > maxLid) {
      diagnostics.error('bad-guid2lid', file, at, 'this is no line of guid2lid', {
        got: words.join(' '),
        wanted: '0x0002c900001000c1 0x0025 0x0025: GUID, first and last LID',
      });
    } else if (first !== last) {
      // said once: where one port has several, all have
      if (severalAt === 0)
        diagnostics.error('several-lids', file, at, 'the port has several LIDs', {
          got: `${first} to ${last}`,
          wanted: 'one LID per port (LMC 0)',
        });
      severalAt ||= scanner.line;
    } else if (ownerOf.has(first!) && ownerOf.get(first!) !== guid) {
      diagnostics.error('duplicate-lid', file, at, `the LID belongs to ${guidText(ownerOf.get(first!)!)} already`, {
        got: String(first),
      });
    } else if (lidOf.has(guid) && lidOf.get(guid) !== first) {
      diagnostics.error('duplicate-guid', file, at, `a second LID for ${guidText(guid)}`, {
        got: String(first),
        hint: `the first one is ${lidOf.get(guid)}`,
      });
    } else {
      ownerOf.set(first!, guid);
      lidOf.set(guid, first!);
      const node = nodeOf.get(guid);
      if (node !== undefined) lid[node] = first!;
      else if (identity.attached?.some(({ portGuid }) => portGuid === guid) !== true) unknown++;
    }
  }
  if (lines === 0)
    diagnostics.error('empty-file', file, { line: 0, column: 0 }, 'there is no LID in the file', {
      wanted: '0xGUID 0xMINLID 0xMAXLID, one line per port',
    });
  if (unknown > 0)
    diagnostics.warning(
      'unknown-guid',
      file,
      { line: 0, column: 0 },
      `${unknown} of ${lines} ports are not in the fabric`,
    );
  reportDoubles(lid, identity, file, diagnostics);
  const { attached } = identity;
  return {
    ...identity,
    lid,
    ...(attached === undefined
      ? {}
      : { attached: withAttachedLids(attached, (port) => lidOf.get(port.portGuid) ?? port.lid) }),
  };
}

function reportDoubles(lid: Uint16Array, identity: FabricIdentity, file: string, diagnostics: Diagnostics): void {
  const nodeOf = new Map<number, number>();
  for (let node = 0; node < lid.length; node++) {
    const other = nodeOf.get(lid[node]!);
    if (lid[node] !== 0 && other !== undefined)
      diagnostics.error(
        'duplicate-lid',
        file,
        { line: 0, column: 0 },
        `${identity.nodeName[node]} and ${identity.nodeName[other]} have one LID`,
        { got: String(lid[node]), hint: 'is the file of this fabric, and complete?' },
      );
    nodeOf.set(lid[node]!, node);
  }
}

/**
 * Reads a list of switches by their node GUIDs, one at the start of each line; the rest of a line is a remark.
 * @returns their nodes, in the order of the file
 */
export function readSwitchList(
  text: string,
  file: string,
  identity: FabricIdentity,
  isSwitch: (node: number) => boolean,
  diagnostics: Diagnostics,
): number[] {
  const nodeOf = new Map(Array.from(identity.nodeGuid, (guid, node) => [guid, node]));
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
      diagnostics.error('bad-guid', file, at, 'this is no GUID', {
        got: word,
        wanted: 'a GUID such as 0x0002c90000030000',
      });
    else if (node === undefined || !isSwitch(node))
      diagnostics.error('unknown-switch', file, at, 'the fabric has no switch with this GUID', { got: word });
    else if (!nodes.includes(node)) nodes.push(node);
  }
  if (nodes.length === 0 && !diagnostics.hasErrors)
    diagnostics.error('empty-file', file, { line: 0, column: 0 }, 'there is no GUID in the file');
  return nodes;
}
