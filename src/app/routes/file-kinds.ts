// Files of routes in each other's place: what the first line of a file says it is, so that one message names the option
// it belongs to instead of one for each of its lines.
// Invariant: a file is refused only if its first line is of another kind's form; whatever is not recognised is left to
// its reader.

import { InputError } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import { bytesOfUtf8, utf8Of } from '../../formats/byte-lines.js';

export type FileKind = 'fabric' | 'tables' | 'guid2lid' | 'traffic' | 'counters' | 'interfaces' | 'levels' | 'lanes';

/** What each kind is called, how its first line begins, and where it belongs. */
const kinds: Record<FileKind, { readonly name: string; readonly begins: RegExp; readonly option: string }> = {
  fabric: {
    name: 'a fabric, as ibnetdiscover prints it',
    begins:
      /^(?:# Topology file: generated|START_NODES\s*$|\{ (?:CA|SW|RT)(?:-SM)? Ports:|(?:CA|SW|RT)\s+\d+\s+\d+ 0x|(?:vendid|devid|sysimgguid|switchguid|caguid)=0x|(?:Switch|Ca)\s+\d+\s+")/,
    option: '--fabric',
  },
  tables: { name: 'forwarding tables', begins: /^Unicast lids \[/, option: '--tables, --current' },
  guid2lid: {
    name: "LIDs (OpenSM's guid2lid)",
    begins: /^0x[0-9a-f]{16} 0x[0-9a-f]{4} 0x[0-9a-f]{4}\s*$/,
    option: '--guid2lid',
  },
  traffic: { name: 'a traffic matrix', begins: /^(?:source,destination,|%%MatrixMarket )/, option: '--traffic' },
  counters: {
    name: 'counters of ports',
    begins: /^(?:# Port(?: extended)?\w* counters: |(?:Errors|Data Counters) for )/,
    option: '--counters, --background',
  },
  interfaces: { name: 'ports of interfaces', begins: /^device,interface,node,port\s*$/, option: '--interfaces' },
  levels: {
    name: 'service levels of pairs of hosts (path records)',
    begins: /^(?:PathRecord dump:|(?:Channel Adapter|Router|Switch) 0x[0-9a-f]{16}, base LID \d+, ".*", port \d+\s*$)/,
    option: '--lanes',
  },
  lanes: {
    name: 'SL2VL tables',
    begins: /^(?:Channel Adapter|Router|Switch) 0x[0-9a-f]{16}, base LID \d+, ".*"\s*$/,
    option: '--sl2vl',
  },
};

/** A line of a scenario that no fabric has. */
const scenarioKey = /^(?:fabric|traffic|workload|jobs|inference|backend):(?:\s|$)/;

/** Lines of a tool that tells only which counters are beyond a threshold, and of some ports only that they failed. */
const thresholdsAlone = /^(?:#warn: counter |Error check on lid )/;

/** Characters of a file that tell its kind. */
const looked = 4000;

/** A text and what messages call it. */
export interface NamedText {
  readonly text: string;
  readonly name: string;
}

/** A text in place of a file; messages call it by its kind if it has no name. */
export interface GivenText {
  readonly text: string;
  readonly name?: string;
}

/** A text: that of a file, unless it is clearly of another kind, or a given one. @throws InputError, HostFileError */
export async function readOwnKind(host: Host, from: string | GivenText, wanted: FileKind): Promise<NamedText> {
  const [text, name] = typeof from === 'string' ? [await host.readText(from), from] : [from.text, from.name ?? wanted];
  refuseOtherKind(text, name, wanted);
  return { text, name };
}

/** The same in pieces. */
export function ownPieces(
  host: Host,
  from: string | GivenText,
  wanted: FileKind,
): { readonly name: string; readonly pieces: AsyncIterable<Uint8Array> } {
  const name = typeof from === 'string' ? from : (from.name ?? wanted);
  return {
    name,
    pieces: ownKind(typeof from === 'string' ? host.readBytes(from) : [bytesOfUtf8(from.text)], name, wanted),
  };
}

/**
 * Refuses a file that is clearly of another kind.
 * @param text its beginning
 * @throws InputError with the option that it belongs to
 */
export function refuseOtherKind(text: string, file: string, wanted: FileKind): void {
  const lines = text
    .slice(0, looked)
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/);
  const index = lines.findIndex(
    (line) =>
      line.trim() !== '' &&
      (!line.startsWith('#') || kinds.counters.begins.test(line) || kinds.fabric.begins.test(line)),
  );
  const first = index === -1 ? '' : lines[index]!;
  if (kinds[wanted].begins.test(first)) return;
  const setting = lines.findIndex((line) => scenarioKey.test(line));
  if (wanted === 'fabric' && setting >= 0)
    throw InputError.at('other-file', file, { line: setting + 1, column: 1 }, 'the file is a scenario (YAML)', {
      got: lines[setting]!.slice(0, 60),
      wanted: 'a topology file, or what ibnetdiscover prints',
      hint: 'weft run takes scenarios; weft topology generate makes topology files',
    });
  const checked = lines.findIndex((line) => thresholdsAlone.test(line));
  if (wanted === 'counters' && checked >= 0)
    throw InputError.at(
      'other-file',
      file,
      { line: checked + 1, column: 1 },
      'the file is what ibcheckerrors prints, counters beyond a threshold alone',
      {
        got: lines[checked]!.slice(0, 60),
        wanted: 'what perfquery -x or ibqueryerrors --data --counters prints',
        hint: 'ibqueryerrors checks the same ports; --data --counters adds what they sent',
      },
    );
  for (const [kind, { name, begins, option }] of Object.entries(kinds)) {
    if (kind === wanted || !begins.test(first)) continue;
    throw InputError.at('other-file', file, { line: index + 1, column: 1 }, `the file holds ${name}`, {
      got: first.slice(0, 60),
      wanted: kinds[wanted].name,
      hint: `it belongs to ${option}`,
    });
  }
}

/** Pieces of a file as they are, unless the first is of a file of another kind. @throws InputError */
async function* ownKind(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  file: string,
  wanted: FileKind,
): AsyncIterable<Uint8Array> {
  let first = true;
  for await (const piece of pieces) {
    if (first) refuseOtherKind(utf8Of(piece, 0, wholeLines(piece, looked)), file, wanted);
    first = false;
    yield piece;
  }
}

/** Bytes of the lines that end within the first so many; all of these if none does. */
function wholeLines(piece: Uint8Array, most: number): number {
  return piece.lastIndexOf(10, most - 1) + 1 || Math.min(piece.length, most);
}
