// Where a message about several settings stands: at the one that caused it.

import { keyPlaceOf, nodeAt, type LocatedMap, type Path, type Place } from './located.js';
import { overridePlace } from './overrides.js';

/** Where a message about a path stands: in --set if one of its causes does, otherwise at the path. */
export function causePlace(root: LocatedMap, path: Path, causes: readonly Path[]): Place {
  const places = causes.filter((cause) => nodeAt(root, cause) !== undefined).map((cause) => keyPlaceOf(root, cause));
  return places.find(({ file }) => file === overridePlace.file) ?? keyPlaceOf(root, path);
}
