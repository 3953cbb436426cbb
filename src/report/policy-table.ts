// When the controller helps: scenarios under each of its policies beside the same without it.
// Invariant: changes are of this run's own figures without the controller; every scenario has all its columns.

import { alignedTable } from './aligned-table.js';
import { policyFigures } from './figures/compared.js';
import { figuresObject, textInUnit, type FigureEntry } from './figures/figure.js';
import { figuresOutcome, outcomesVerdict } from './outcome-comparison.js';
import { failedChecks, type RunFigures } from './run-figures.js';
import { changePercentText, coloured, wrapped, type TextStyle } from './text-style.js';

/** A scenario without a controller, and under all policies in the order of the table's. */
export interface PolicyRow {
  readonly name: string;
  readonly without: RunFigures;
  readonly runs: readonly RunFigures[];
}

const compared = policyFigures.filter(({ look }) => look.label !== undefined);

/** after / before - 1; null if before is 0, or either is not known */
function changeOf({ json }: FigureEntry<RunFigures>, before: RunFigures, after: RunFigures): number | null {
  const [from, to] = [json(before), json(after)] as [number | null, number | null];
  return from === null || to === null || from === 0 ? null : to / from - 1;
}

/** Which policy is fastest, by how much, and why. */
function verdictOf(policies: readonly string[], { without, runs }: PolicyRow): string {
  return outcomesVerdict(
    [without, ...runs].map((run, i) => figuresOutcome(i === 0 ? 'no controller' : policies[i - 1]!, run)),
  );
}

/** The table for people; ends with a newline. */
export function policyText(policies: readonly string[], rows: readonly PolicyRow[], style: TextStyle): string {
  const verdicts = rows.flatMap((row) => [...wrapped(`${row.name}: ${verdictOf(policies, row)}`), '']);
  const lines = compared.flatMap((figure) => {
    const { unit, json, look } = figure;
    const known = rows.filter(({ without }) => json(without) !== null);
    if (known.length === 0) return [];
    const amount = (run: RunFigures): string => textInUnit(unit, json(run) as number);
    const table = known.map(({ name, without, runs }) =>
      [name, amount(without)].concat(
        runs.map((run) => (unit === 'ns' ? changePercentText(changeOf(figure, without, run)) : amount(run))),
      ),
    );
    return [
      coloured(style, 'bold', `${look.label!}${unit === 'ns' ? ", change by the controller's policy" : ''}`),
      '',
      ...alignedTable([['', 'without', ...policies], ...table]),
      '',
    ];
  });
  const problems = rows.flatMap(({ name, without, runs }) =>
    [without, ...runs].flatMap((run) => failedChecks(run).map((problem) => `${name}: ${problem}`)),
  );
  for (const problem of new Set(problems)) lines.push(...wrapped(`failed: ${problem}`), '');
  return `${[...verdicts, ...lines].join('\n').trimEnd()}\n`;
}

/** The table as the object of --json. */
export function policyObject(policies: readonly string[], rows: readonly PolicyRow[]): object {
  const times = compared.filter(({ unit }) => unit === 'ns');
  return {
    policies,
    scenarios: rows.map(({ name, without, runs }) => ({
      name,
      verdict: verdictOf(policies, { name, without, runs }),
      without: figuresObject(policyFigures, without),
      policies: Object.fromEntries(
        runs.map((run, i) => [
          policies[i]!,
          {
            ...figuresObject(policyFigures, run),
            ...Object.fromEntries(times.map((own) => [own.key.replace('Ns', 'Change'), changeOf(own, without, run)])),
          },
        ]),
      ),
    })),
  };
}
