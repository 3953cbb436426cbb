// A viewed run on its way to a page that another program serves: as JSON with the lists of numbers of its view behind it,
// as they lie in memory.
//   4 bytes: how long the JSON is; the JSON, in ASCII; each list, at a multiple of 4 from the beginning. Little-endian.
// Invariant: what comes back is equal to what went.

import type { RunView } from './run-view.js';
import type { ViewedRun } from './view-scenario.js';

const listTypes = { Int32Array, Uint8Array, Float32Array, Float64Array } as const;

/** A list of the view: its key, the name of its type, and how many numbers it has. */
type ListPlace = readonly [key: string, type: keyof typeof listTypes, length: number];

/** A run as bytes. */
export function bytesOfRun({ digest, json, view }: ViewedRun): Uint8Array {
  const lists: (readonly [place: ListPlace, bytes: Uint8Array])[] = [];
  const rest: Record<string, unknown> = {};
  for (const [key, own] of Object.entries(view) as [string, unknown][]) {
    const type = typeNames.find((name) => own instanceof listTypes[name]);
    if (type === undefined) rest[key] = own;
    else {
      const { buffer, byteOffset, byteLength, length } = own as Uint8Array;
      lists.push([[key, type, length], new Uint8Array(buffer, byteOffset, byteLength)]);
    }
  }
  const text = JSON.stringify({ digest, json, view: rest, lists: lists.map(([place]) => place) });
  const ascii = text.replace(/[\u0080-\uffff]/g, (own) => `\\u${own.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const bytes = new Uint8Array(lists.reduce((end, [, own]) => aligned(end) + own.length, 4 + ascii.length));
  new DataView(bytes.buffer).setUint32(0, ascii.length, true);
  for (let i = 0; i < ascii.length; i++) bytes[4 + i] = ascii.charCodeAt(i);
  let end = 4 + ascii.length;
  for (const [, own] of lists) {
    bytes.set(own, aligned(end));
    end = aligned(end) + own.length;
  }
  return bytes;
}

/** A run from its bytes. @throws Error if they are of something else */
export function runOfBytes(bytes: Uint8Array): ViewedRun {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  let text = '';
  for (let from = 4; from < 4 + length; from += pieceBytes)
    text += String.fromCharCode(...bytes.subarray(from, Math.min(from + pieceBytes, 4 + length)));
  const { digest, json, view, lists } = JSON.parse(text) as ViewedRun & { readonly lists: readonly ListPlace[] };
  const whole: Record<string, unknown> = { ...view };
  let end = 4 + length;
  for (const [key, type, count] of lists) {
    const own = new listTypes[type](count);
    const from = aligned(end);
    end = from + own.byteLength;
    new Uint8Array(own.buffer).set(bytes.subarray(from, end));
    whole[key] = own;
  }
  return { digest, json, view: whole as unknown as RunView };
}

const typeNames = Object.keys(listTypes) as (keyof typeof listTypes)[];

/** characters that are made at a time: an argument each */
const pieceBytes = 8192;

function aligned(at: number): number {
  return (at + 3) & ~3;
}
