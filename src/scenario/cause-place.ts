// Where a message about several settings stands: at the one that caused it.

import { keyPlaceOf, nodeAt, placeOf, type LocatedMap, type Path, type Place } from './located.js';
import { overridePlace } from './overrides.js';

/** Where a message about a path stands: in --set if one of its causes does, otherwise at the path. */
export function causePlace(root: LocatedMap, path: Path, causes: readonly Path[]): Place {
  const places = causes.filter((cause) => nodeAt(root, cause) !== undefined).map((cause) => keyPlaceOf(root, cause));
  return places.find(({ file }) => file === overridePlace.file) ?? keyPlaceOf(root, path);
}

/** Where the first of some settings that is given stands; the start of the file if none is. */
export function givenPlace(root: LocatedMap, paths: readonly Path[]): Place {
  for (const path of paths) if (nodeAt(root, path) !== undefined) return placeOf(root, path);
  return root.place;
}
