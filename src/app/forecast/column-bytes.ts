// How many bytes of columns hang on a value: typed arrays anywhere below it, each buffer once.
// Invariant: nothing is changed, and circles end. Not counted: objects, strings and what closures hold.

/** Bytes of all typed arrays that can be reached from a value over properties, lists, maps and sets. */
export function columnBytes(value: unknown): number {
  const seen = new Set<object>();
  const open: unknown[] = [value];
  let bytes = 0;
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null || seen.has(next)) continue;
    seen.add(next);
    if (ArrayBuffer.isView(next)) {
      if (seen.has(next.buffer)) continue;
      seen.add(next.buffer);
      bytes += next.buffer.byteLength;
    } else if (next instanceof Map) for (const [key, held] of next) open.push(key, held);
    else if (next instanceof Set || Array.isArray(next)) for (const held of next) open.push(held);
    else for (const held of Object.values(next)) open.push(held);
  }
  return bytes;
}
