// The lines of ibnetdiscover's output, one at a time: nodes, ports, and the comments that hold names, LIDs and rates.
// Invariant: regular expressions without nested repetition, so that every line is read in linear time.

import { formatRateBps } from '../base/units.js';

/** A node's first line. */
export interface NodeLine {
  readonly isSwitch: boolean;
  readonly isRouter: boolean;
  readonly radix: number;
  /** such as S-0002c90000010000: what other lines call it */
  readonly name: string;
  /** the GUID that the name holds, null if it holds none */
  readonly guidOfName: bigint | null;
  /** "" without one */
  readonly description: string;
  /** 0 without one; that of an adapter stands beside its port */
  readonly lid: number;
  /** the port has 2^lmc LIDs */
  readonly lmc: number;
}

/** A port's line. */
export interface PortLine {
  readonly number: number;
  /** of an adapter's port, null without one */
  readonly guid: bigint | null;
  readonly remoteName: string;
  readonly remotePort: number;
  /** LID of this port (adapters only), 0 without one */
  readonly lid: number;
  /** the port has 2^lmc LIDs (adapters only) */
  readonly lmc: number;
  /** LID of the other end, 0 without one */
  readonly remoteLid: number;
  /** such as 4xEDR; "" without one */
  readonly rate: string;
}

/** Divides a line at the first # outside quotes. */
export function commentOf(line: string): { body: string; comment: string; commentColumn: number } {
  let quoted = false;
  for (let i = 0; i < line.length; i++) {
    const code = line.charCodeAt(i);
    if (code === 34) quoted = !quoted;
    else if (code === 35 && !quoted)
      return { body: line.slice(0, i), comment: line.slice(i + 1), commentColumn: i + 1 };
  }
  return { body: line, comment: '', commentColumn: line.length + 1 };
}

/** `Switch 48 "S-0002c90000010000"` with its comment. @returns null if it is none */
export function readNodeLine(content: string, comment: string): NodeLine | null {
  const match = /^(Switch|Ca|Hca|Rt)[ \t]+(\d{1,6})[ \t]+"([^"]{1,256})"$/.exec(content);
  if (match === null) return null;
  const name = match[3]!;
  const hex = /^[SHR]-([0-9a-fA-F]{16})$/.exec(name);
  return {
    isSwitch: match[1] === 'Switch',
    isRouter: match[1] === 'Rt',
    radix: Number(match[2]),
    name,
    guidOfName: hex === null ? null : BigInt(`0x${hex[1]!}`),
    // names come with quotes as they are
    description: /"(.*)"/.exec(comment)?.[1] ?? '',
    lid: lidIn(comment.slice(comment.lastIndexOf('"') + 1)),
    lmc: numberIn(comment.slice(comment.lastIndexOf('"') + 1), 'lmc'),
  };
}

/** A port's line as ibnetdiscover prints nearly all of them: read at once, since large fabrics have 100,000. */
const usualPortLine =
  /^\[(\d{1,3})\](?:\(([0-9a-f]{1,16})\))?[ \t]*"([^"#]{1,256})"\[(\d{1,3})\](?:\([0-9a-f]{1,16}\))?[ \t]*# ?(?:[ \t]lid (\d{1,5}) lmc (\d))?[ \t]*"[^"]*" lid (\d{1,5}) (\d{1,2}x[A-Z]+\d*)$/;

/** A whole line of the usual form, as {@link readPortLine} would read it. @returns null if it has another */
export function readUsualPortLine(line: string, ofSwitch: boolean): PortLine | null {
  const match = usualPortLine.exec(line);
  if (match === null) return null;
  return {
    number: Number(match[1]),
    guid: match[2] === undefined ? null : BigInt(`0x${match[2]}`),
    remoteName: match[3]!,
    remotePort: Number(match[4]),
    lid: ofSwitch ? 0 : Number(match[5] ?? 0),
    lmc: ofSwitch ? 0 : Number(match[6] ?? 0),
    remoteLid: Number(match[7]),
    rate: match[8]!,
  };
}

/**
 * `[33](guid) "S-..."[1](guid)` with its comment; chassis switches have `[ext 18]` behind a port.
 * @returns null if it is none
 */
export function readPortLine(content: string, comment: string, ofSwitch: boolean): PortLine | null {
  const match =
    /^\[(\d{1,6})\](?:\[ext \d{1,6}\])?(?:\(([0-9a-fA-F]{1,16})\))?[ \t]*"([^"]{1,256})"\[(\d{1,6})\](?:\[ext \d{1,6}\])?(?:\([0-9a-fA-F]{1,16}\))?$/.exec(
      content,
    );
  if (match === null) return null;
  // behind the first quote stands the other end
  const own = comment.slice(0, comment.includes('"') ? comment.indexOf('"') : comment.length);
  return {
    number: Number(match[1]),
    guid: match[2] === undefined ? null : BigInt(`0x${match[2]}`),
    remoteName: match[3]!,
    remotePort: Number(match[4]),
    lid: ofSwitch ? 0 : lidIn(own),
    lmc: ofSwitch ? 0 : numberIn(own, 'lmc'),
    remoteLid: comment.includes('"') ? lidIn(comment.slice(comment.lastIndexOf('"') + 1)) : 0,
    rate: rateIn(comment),
  };
}

/**
 * The word for width and speed: behind names, LIDs and what `-f` adds (s=4 w=2 v=4); "" if there is none. Where no name
 * stands in quotes any word may be somebody's remark, unless it has the form of a width.
 */
function rateIn(comment: string): string {
  const isQuoted = comment.includes('"');
  const words = comment
    .slice(comment.lastIndexOf('"') + 1)
    .split(/[ \t\r]+/)
    .filter((word) => word !== '' && !/^[swv]=\d+$/.test(word));
  const last = words.at(-1);
  if (last === undefined || /^(?:lid|lmc)$/.test(words.at(-2) ?? '')) return '';
  return isQuoted || /^[\d?]{1,2}x\S/.test(last) ? last : '';
}

function lidIn(comment: string): number {
  return numberIn(comment, 'lid');
}

function numberIn(comment: string, word: 'lid' | 'lmc'): number {
  const pattern = word === 'lid' ? /(?:^|[ \t])lid (\d{1,7})(?:[ \t\r]|$)/ : /(?:^|[ \t])lmc (\d{1,7})(?:[ \t\r]|$)/;
  return Number(pattern.exec(comment)?.[1] ?? 0);
}

/** What a lane carries after line coding, in bit/s (InfiniBand Architecture Specification, volume 2). */
const laneRateBps: Readonly<Record<string, number>> = {
  SDR: 2e9,
  DDR: 4e9,
  QDR: 8e9,
  FDR10: 10e9,
  FDR: (14.0625e9 * 64) / 66,
  EDR: 25e9,
  HDR: 50e9,
  NDR: 100e9,
  XDR: 200e9,
};

/** Rates by width and speed. */
const rates: ReadonlyMap<string, number> = new Map(
  [1, 2, 4, 8, 12].flatMap((width) =>
    Object.entries(laneRateBps).map(([speed, lane]) => [`${width}x${speed}`, Math.round(width * lane)]),
  ),
);

/** Rate of a link such as 4xEDR, in bit/s; null if width or speed is unknown. */
export function linkRateBps(text: string): number | null {
  return rates.get(text) ?? null;
}

/** Rates are given with a few digits: 54.545 Gb/s is 4xFDR. */
const rateTolerance = 1e-4;

const usualWidths = ['4', '2', '1', '8', '12'];

/** Width and speed for a rate: 100 Gb/s is 4xEDR; null if no link has it. */
export function linkRateName(rateBps: number): string | null {
  for (const width of usualWidths)
    for (const speed of Object.keys(laneRateBps)) {
      const own = linkRateBps(`${width}x${speed}`)!;
      if (Math.abs(own - rateBps) <= rateTolerance * own) return `${width}x${speed}`;
    }
  return null;
}

/** Rates of links of four lanes, for messages: `8 Gbps (4xSDR)` and so on. */
export function usualRates(): string {
  return Object.keys(laneRateBps)
    .map((speed) => `${formatRateBps(linkRateBps(`4x${speed}`)!)} (4x${speed})`)
    .join(', ');
}
