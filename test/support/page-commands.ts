// Commands of a page and what it says they print, in order. Form: a block ```sh holds commands, the block ```text after
// it what they print; a block ```yaml or ```csv after "Save this as `NAME`:" is a file. A line `…` stands for any
// number of lines left out. Times of this machine and memory are masked: they differ from run to run.
// Not modelled: blocks of other kinds are left alone, and a ```text without commands before it is a mistake.

/** What a reader does next: saves a file, or runs commands that print something (null: the page does not say what). */
export type Step =
  | { readonly kind: 'file'; readonly name: string; readonly text: string }
  | { readonly kind: 'commands'; readonly commands: readonly string[]; readonly printed: readonly string[] | null };

/** The steps of a page in the order in which they stand. @throws Error on output without commands */
export function stepsOf(page: string): Step[] {
  const steps: Step[] = [];
  let awaitsOutput = false;
  for (const match of page.matchAll(/([^\n]*)\n+```(\w*)\n([^]*?)^```$/gm)) {
    const [, before, kind, text] = match as unknown as [string, string, string, string];
    const name = /[Ss]ave this as `([^`]+)`:$/.exec(before)?.[1];
    if (name !== undefined) steps.push({ kind: 'file', name, text });
    else if (kind === 'sh') {
      steps.push({ kind: 'commands', commands: text.trim().split('\n'), printed: null });
      awaitsOutput = true;
    } else if (kind === 'text') {
      const last = steps.at(-1);
      if (!awaitsOutput || last?.kind !== 'commands') throw new Error(`no command prints this:\n${text}`);
      steps[steps.length - 1] = { ...last, printed: text.trimEnd().split('\n') };
      awaitsOutput = false;
    }
  }
  return steps;
}

/** A line without what differs from run to run: CPU seconds, bytes of memory. */
function masked(line: string): string {
  const without = line.replace(/\d[\d.,]* s\b/g, '# s').replace(/at most [\d.]+[kMG]B/, 'at most #');
  // figures of another width move what stands beside them
  return without === line ? line.trimEnd() : without.replace(/ +/g, ' ').trimEnd();
}

/**
 * The first line of a page that was not printed where it should be, with what was printed from there; null if all is as
 * shown. Lines without a `…` between them have to follow on each other, the first and the last stand at the ends.
 */
export function firstDifference(shown: readonly string[], printed: string): string | null {
  const lines = printed.replace(/\n+$/, '').replace(/^\n+/, '').split('\n').map(masked);
  let at = 0;
  let isFree = false;
  for (const run of runsBetweenGaps(shown)) {
    if (run.length > 0) {
      const start = isFree ? findRun(lines, run, at) : at;
      const wrong = run.findIndex((line, i) => lines[start + i] !== line);
      if (wrong >= 0) return `${run[wrong]}\nprinted instead:\n${lines.slice(start + wrong).join('\n')}`;
      at = start + run.length;
    }
    isFree = true;
  }
  const isOpen = shown.at(-1) === '…';
  return isOpen || at === lines.length ? null : `the end\nprinted beyond it:\n${lines.slice(at).join('\n')}`;
}

/** What stands between the lines `…`, masked. */
function runsBetweenGaps(shown: readonly string[]): string[][] {
  const runs: string[][] = [[]];
  for (const line of shown) {
    if (line === '…') runs.push([]);
    else runs.at(-1)!.push(masked(line));
  }
  return runs;
}

/** Where all of the run stands from `from` on; where its first line stands, or `from`, if it stands nowhere. */
function findRun(lines: readonly string[], run: readonly string[], from: number): number {
  for (let at = from; at + run.length <= lines.length; at++)
    if (run.every((line, i) => lines[at + i] === line)) return at;
  const first = lines.indexOf(run[0]!, from);
  return first < 0 ? from : first;
}
