// The whole scenario in the link, behind `#`, so that no server sees it: compressed, with the files that it names, time and
// selection.

/** What a link brings. */
export interface Shared {
  readonly text: string;
  /** texts of files that it names, by path */
  readonly files: Readonly<Record<string, string>>;
  /** share of the run's time, 0 to 1; null: none was chosen */
  readonly time: number | null;
  readonly link: string | null;
  readonly flow: number | null;
}

/** what a link may hold, unpacked */
const mostCharacters = 2_000_000;

/** The part of a link behind `#`. */
export async function sharedHash({ text, files, time, link, flow }: Shared): Promise<string> {
  const packed = await through(
    new TextEncoder().encode(JSON.stringify({ text, files })),
    new CompressionStream('deflate-raw'),
  );
  const parts = new URLSearchParams({ s: base64(packed) });
  if (time !== null) parts.set('t', time.toFixed(6));
  if (link !== null) parts.set('link', link);
  if (flow !== null) parts.set('flow', String(flow));
  return `#${parts.toString()}`;
}

/** What a link's part behind `#` brings; null: nothing that can be read. */
export async function readShared(hash: string): Promise<Shared | null> {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const packed = parts.get('s');
  if (packed === null) return null;
  try {
    const bytes = await through(unbase64(packed), new DecompressionStream('deflate-raw'), mostCharacters);
    const time = Number(parts.get('t') ?? NaN);
    const flow = Number(parts.get('flow') ?? NaN);
    const { text, files } = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Shared;
    if (![text, ...Object.values(files)].every((own) => typeof own === 'string')) return null;
    return {
      text,
      files,
      time: time >= 0 && time <= 1 ? time : null,
      link: parts.get('link'),
      flow: Number.isSafeInteger(flow) && flow >= 0 ? flow : null,
    };
  } catch {
    return null;
  }
}

/** All that comes out of a stream. @throws Error if it is more than `most` bytes */
async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: GenericTransformStream,
  most = Infinity,
): Promise<Uint8Array> {
  const reader = new Blob([bytes])
    .stream()
    .pipeThrough(stream as ReadableWritablePair<Uint8Array>)
    .getReader();
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) throw new Error('too long');
    pieces.push(value);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

function base64(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function unbase64(text: string): Uint8Array<ArrayBuffer> {
  const raw = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(raw, (character) => character.charCodeAt(0));
}
