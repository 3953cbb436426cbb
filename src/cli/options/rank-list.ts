// Ranks as people write them on the command line: 0-127, 0,8,16 or 0-127:8.
// Invariant: a list that is returned names each rank once, in the order given.

import { InputError, type DiagnosticDetail } from '../../base/diagnostics.js';

/**
 * Reads ranks of a fabric.
 * @param hosts how many ranks there are
 * @param option whose value it is, `--ranks` of a collective, which needs two, or another of a trace, which needs one
 * @returns the ranks in the order given: the order of the group
 * @throws InputError
 */
export function parseRanks(text: string, hosts: number, option = '--ranks'): Int32Array {
  const isOfCollective = option === '--ranks';
  const mistake = (message: string, detail: DiagnosticDetail): InputError =>
    InputError.about(`${isOfCollective ? 'collective' : 'trace'}-${option.slice(2)}`, option, message, detail);
  const ranks: number[] = [];
  const seen = new Set<number>();
  for (const part of text.split(',')) {
    const match = /^\s*(\d{1,9})(?:-(\d{1,9})(?::(\d{1,9}))?)?\s*$/.exec(part);
    if (match === null)
      throw mistake('not a rank or a range of ranks', {
        got: part,
        wanted: 'such as 0-127, 0,8,16 or 0-127:8 (every eighth)',
      });
    const first = Number(match[1]);
    const last = match[2] === undefined ? first : Number(match[2]);
    const stride = match[3] === undefined ? 1 : Number(match[3]);
    if (stride === 0) throw mistake('a stride of 0 comes nowhere', { got: part, wanted: '1 or more' });
    if (last < first) throw mistake('the range ends before it begins', { got: part, wanted: 'the smaller rank first' });
    if (last >= hosts)
      throw mistake(`there is no rank ${last}: the fabric has ${hosts} GPUs`, {
        got: part,
        wanted: `ranks from 0 to ${hosts - 1}`,
      });
    for (let rank = first; rank <= last; rank += stride) {
      if (seen.has(rank)) throw mistake(`rank ${rank} is named twice`, { got: text, wanted: 'every rank once' });
      seen.add(rank);
      ranks.push(rank);
    }
  }
  if (isOfCollective && ranks.length < 2)
    throw mistake('a collective of one rank moves nothing', { got: text, wanted: 'two ranks or more' });
  return Int32Array.from(ranks);
}
