// Where the figures of a run stand in its JSON: paths of keys joined by dots, `[]` behind lists, and the entry of the
// catalogue that each path leads to.

import { figureByName, type FigureEntry } from './figure.js';
import { runFigures } from './run.js';

/** A figure with the path to it. */
export interface PlacedFigure {
  readonly path: string;
  readonly entry: FigureEntry<never>;
  /** what people look for: of itself, or of the figures that it is one of */
  readonly prominence: 'headline' | 'first' | null;
}

function* placed(
  entries: readonly FigureEntry<never>[],
  before: string,
  prominence: PlacedFigure['prominence'],
): Generator<PlacedFigure> {
  for (const entry of entries) {
    const path = `${before}${entry.key}${entry.form === 'list' ? '[]' : ''}`;
    const own = entry.look.prominence ?? prominence;
    yield { path, entry, prominence: own };
    yield* placed(entry.entries, `${path}.`, own);
  }
}

/** Every figure of the catalogue, in its order: groups before what is in them. */
export const placedFigures: readonly PlacedFigure[] = [...placed(runFigures, '', null)];

const places = new Map<string, number>();
placedFigures.forEach(({ path }, place) => {
  if (!places.has(path)) places.set(path, place);
});

/**
 * The place of a path in the catalogue; Infinity if no entry has it. @param path `jobs[2].ranks.max`, as sweeps have it
 */
export function catalogueOrder(path: string): number {
  return places.get(path.replace(/\[\d+\]/g, '[]')) ?? Infinity;
}

/** What is known of the figure under a path; of one that no entry has, what its name says. */
export function figureAt(path: string): PlacedFigure {
  const place = catalogueOrder(path);
  if (place !== Infinity) return placedFigures[place]!;
  return { path, entry: figureByName(path.slice(path.lastIndexOf('.') + 1)), prominence: null };
}
