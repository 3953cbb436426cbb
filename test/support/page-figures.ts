// Figures of a page, with the command and the key of its JSON that each comes from. Marks are comments, which nobody
// sees who reads the page:
//   <!-- of `npx weft run a.yaml {options}` -->         the command of the figures that follow, until the next
//   2.572 ms<!-- fct.maxNs -->                          a figure in a sentence, with the key behind it
//   <!-- columns: - | fct.maxNs | counters.timeouts --> before a table: keys by column; `-` is no figure
// In commands {options} stands for what a row has in back-ticks in its first cell, {1}, {2} ... for the first word of a
// cell. A key may name a unit that the figure leaves out: `fct.maxNs in ms`. Cells without a number are left out.

/** A figure, and where it comes from. */
export interface PageFigure {
  readonly command: string;
  /** path in the JSON that the command prints */
  readonly key: string;
  /** as the page has it, with its unit */
  readonly shown: string;
}

const number = String.raw`[-+]?\d[\d,]*(?:\.\d+)?`;
const unit = String.raw`(?:ns|us|ms|s|B|kB|MB|GB|KiB|MiB|GiB|%)`;
const inCell = new RegExp(`^(${number}(?: ?${unit})?)(?![\\w.])`);
const inSentence = new RegExp(`(${number}(?: ?${unit})?)<!-- ([\\w.[\\]]+)(?: in (${unit}))? -->`, 'g');

/** The figures of a page in their order. @throws Error on a figure without a command, or keys without a table */
export function figuresOf(page: string): PageFigure[] {
  const figures: PageFigure[] = [];
  let command: string | null = null;
  /** of the table that follows or goes on, and whether its head is over */
  let keys: readonly string[] = [];
  let isBody = false;
  const add = (shown: string, key: string, given: string | undefined, cells: readonly string[]): void => {
    if (command === null) throw new Error(`no command gives ${shown} (${key})`);
    figures.push({ command: filledIn(command, cells), key, shown: given === undefined ? shown : `${shown} ${given}` });
  };
  for (const line of page.split('\n')) {
    command = /^<!-- of `([^`]+)` -->$/.exec(line)?.[1] ?? command;
    const columns = /^<!-- columns: (.*) -->$/.exec(line)?.[1];
    if (columns !== undefined) {
      keys = columns.split('|').map((key) => key.trim());
      isBody = false;
    } else if (!line.startsWith('|')) {
      if (isBody) keys = [];
      else if (keys.length > 0 && line !== '' && !line.startsWith('<!--')) throw new Error(`no table before: ${line}`);
    } else if (/^[|\s:-]+$/.test(line)) isBody = true;
    else if (isBody) {
      const cells = line.split('|').map((cell) => cell.trim());
      for (const [i, spec] of keys.entries()) {
        const shown = inCell.exec(cells[i + 1] ?? '')?.[1];
        if (spec === '-' || shown === undefined) continue;
        const [key, given] = spec.split(' in ') as [string, string?];
        add(shown, key, given, cells.slice(1));
      }
    }
    for (const [, shown, key, given] of line.matchAll(inSentence)) add(shown!, key!, given, []);
  }
  return figures;
}

function filledIn(command: string, cells: readonly string[]): string {
  const options = [...(cells[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, code]) => code).join(' ');
  return command
    .replace('{options}', options)
    .replace(/\{(\d)\}/g, (_, column) => /[^`\s:,]+/.exec(cells[Number(column) - 1] ?? '')?.[0] ?? '')
    .trim();
}

/** What one of a unit is in that of JSON: nanoseconds, bytes, shares of 1. */
const perUnit: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  ms: 1e6,
  s: 1e9,
  B: 1,
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  '%': 0.01,
};

/** What is at a path such as `jobs[0].ranks.max` of an object of JSON; undefined if nothing is. */
function valueAt(object: unknown, path: string): unknown {
  return path
    .split(/[.[\]]+/)
    .filter((step) => step !== '')
    .reduce((at, step) => (at as Record<string, unknown> | null | undefined)?.[step], object);
}

/** What is wrong with a figure beside what its command printed; null if it is equal to the digits that it shows. */
export function figureProblem({ command, key, shown }: PageFigure, json: unknown): string | null {
  const [, digits, name] = new RegExp(`^(${number}) ?(${unit})?$`).exec(shown)!;
  const value = valueAt(json, key);
  const isSeconds = name === 's' && !key.endsWith('Ns');
  const scale = name === undefined || isSeconds ? 1 : perUnit[name]!;
  const half = 0.5 * 10 ** -(digits!.split('.')[1] ?? '').length;
  if (typeof value === 'number' && Math.abs(value / scale - Number(digits!.replaceAll(',', ''))) <= half * (1 + 1e-9))
    return null;
  const printed = typeof value === 'number' ? `${value / scale} ${name ?? ''}`.trim() : String(JSON.stringify(value));
  return `${shown} on the page, ${printed} is ${key} of ${command}`;
}
