// Files of size distributions: `bytes percent` on a line, both ascending, the last percentage 100. Blank lines and what
// follows # are passed over. Documented in docs/formats/size-distribution.md.
// Source: HPCC's and ConWeave's traffic generators (WebSearch, AliStorage, FbHdp and others).

import { FileProblems, type Diagnostics } from '../base/diagnostics.js';
import { SizeDistribution } from '../flows/size-distribution.js';
import { contentLines } from './lines.js';
import { maxTransferBytes } from '../flows/work-source.js';

/** Most points of a file. */
const mostPoints = 100_000;

/** Reads a distribution. @returns null after at least one error */
export function readSizeDistribution(text: string, file: string, diagnostics: Diagnostics): SizeDistribution | null {
  const problems = new FileProblems(file, diagnostics);
  const sizes: number[] = [];
  const percents: number[] = [];
  for (const { line, text: content } of contentLines(text, problems)) {
    const fields = [...content.matchAll(/[^\s,]+/g)];
    if (fields.length === 0) continue;
    const wrong = (code: string, field: number, message: string, got: string, wanted: string): void =>
      problems.error(`sizes-${code}`, { line, column: (fields[field]?.index ?? 0) + 1 }, message, {
        got: got.slice(0, 80),
        wanted,
      });
    if (fields.length !== 2) {
      wrong(
        'field-count',
        0,
        `a line has ${fields.length} field${fields.length === 1 ? '' : 's'}`,
        content.trim(),
        'two: bytes and percent',
      );
      continue;
    }
    const [size, percent] = fields.map(([field]) => (/^\d+(\.\d+)?(e[+]?\d+)?$/i.test(field) ? Number(field) : NaN));
    if (!(size! <= maxTransferBytes))
      wrong('bytes', 0, 'no size in bytes', fields[0]![0], `a number from 0 to ${maxTransferBytes}`);
    else if (!(percent! <= 100)) wrong('percent', 1, 'no percentage', fields[1]![0], 'a number from 0 to 100');
    else if (sizes.length > 0 && size! < sizes.at(-1)!)
      wrong('order', 0, 'a size is smaller than the one above it', fields[0]![0], `${sizes.at(-1)!} or more`);
    else if (percents.length > 0 && percent! < percents.at(-1)!)
      wrong('order', 1, 'a percentage is smaller than the one above it', fields[1]![0], `${percents.at(-1)!} or more`);
    else if (sizes.length === mostPoints) {
      wrong('too-many', 0, `there are more than ${mostPoints} points`, content.trim(), `at most ${mostPoints}`);
      break;
    } else {
      sizes.push(size!);
      percents.push(percent!);
    }
  }
  if (problems.failed) return null;
  const end = { line: text.split('\n').length, column: 1 };
  if (percents.at(-1) !== 100) {
    problems.error('sizes-end', end, 'the distribution does not end', {
      got: percents.length === 0 ? 'no point' : `${percents.at(-1)!} %`,
      wanted: 'a last line with 100 percent',
    });
    return null;
  }
  if (sizes.at(-1)! < 1) {
    problems.error('sizes-zero', end, 'every transfer would have 0 bytes', {
      got: '0',
      wanted: 'a largest size of 1 byte or more',
    });
    return null;
  }
  return new SizeDistribution(
    Float64Array.from(sizes),
    Float64Array.from(percents, (percent) => percent / 100),
  );
}
