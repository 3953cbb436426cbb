// The sizes that a collective is measured for, as people write them on the command line: 1KiB..1GiB, 8B,64KiB.
// Invariant: a list that is returned is not empty; sizes are in the order given.

import { InputError, type DiagnosticDetail } from '../../base/diagnostics.js';
import { formatSizeBytes, parseSizeBytes } from '../../base/units.js';
import { units } from '../../scenario/form/setting-problem.js';
import { quantityHint } from '../../scenario/suggest.js';
import { maxCollectiveBytes } from '../../collectives/collective-run.js';

/** The most sizes that a list may name. */
const mostSizes = 1000;

function mistake(option: string, message: string, detail: DiagnosticDetail): InputError {
  return InputError.about(`collective-${option.replace(/^-+/, '')}`, option, message, detail);
}

/**
 * Reads sizes.
 * @param factor from one size of a range to the next, 2 or more
 * @returns bytes, each 1 or more
 * @throws InputError
 */
export function parseSizes(text: string, factor: number): number[] {
  const sizes: number[] = [];
  for (const part of text.split(',')) {
    const ends = part.split('..');
    if (ends.length > 2)
      throw mistake('--sizes', 'not a size or a range of sizes', {
        got: part,
        wanted: 'such as 1KiB..1GiB, 64MiB or 8B,1KiB,1MiB',
      });
    const [first, last = first] = ends.map(sizeOf) as [number, number?];
    if (last < first)
      throw mistake('--sizes', 'the range ends before it begins', {
        got: part,
        wanted: 'the smaller size first',
        hint: `${ends[1]!}..${ends[0]!}?`,
      });
    for (let size = first; size <= last; size *= factor) sizes.push(size);
    if (sizes.length > mostSizes)
      throw mistake('--sizes', 'too many sizes', { got: text, wanted: `at most ${mostSizes}` });
  }
  return sizes;
}

function sizeOf(text: string): number {
  const size = parseSizeBytes(text);
  if (size === null || size < 1 || size > maxCollectiveBytes) {
    // nccl-tests writes 8M for 8 MiB
    const letter = /^\s*(\d+(?:\.\d+)?)\s*([kKmMgG])\s*$/.exec(text);
    const other = /^\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]+)\s*$/.exec(text);
    const hint =
      letter !== null
        ? `did you mean ${letter[1]!}${letter[2]!.toUpperCase()}iB?`
        : size !== null || other === null
          ? undefined
          : quantityHint('size', other[1]!, other[2]!, units.size);
    throw mistake('--sizes', size === null ? 'not a size' : 'a size out of range', {
      got: text,
      wanted: `1B to ${formatSizeBytes(maxCollectiveBytes)}, in ${units.size.join(', ')}`,
      hint: hint ?? undefined,
    });
  }
  return size;
}
