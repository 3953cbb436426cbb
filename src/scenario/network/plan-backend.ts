// The backend of a scenario, and what is wrong with settings where it runs.

import { Section } from '../form/section.js';
import type { Backend } from '../../backends/backend.js';
import type { BackendDeclaration, SettingsInUse } from '../../backends/backend-declaration.js';
import { fail } from '../../base/fail.js';
import { keyPlaceOf, nodeAt, pathText, placeOf, type LocatedMap, type Path, type Place } from '../form/located.js';
import type { Scenario } from '../form/read-scenario.js';
import { valueAt } from '../form/resolve.js';

/** The backend of a scenario; the default if what was written is wrong and already said to be. */
export function planBackend({ root, faulty, form }: Scenario): Backend {
  const { backend } = form.topSettings;
  const chosen = faulty.has('backend') ? backend.default : valueAt(root, ['backend'], backend);
  const { backends } = form.catalogues;
  return backends.find(({ name }) => name === chosen) ?? fail(`no backend is called ${chosen}`);
}

/** Reports what is wrong with settings together where a backend runs. */
export function checkBackend(block: Section, backend: BackendDeclaration, use: SettingsInUse): void {
  for (const { severity, code, at, message, got, wanted, hint } of backend.problems(use)) {
    const place = givenPlace(block.root, at);
    const detail = {
      ...(got === undefined ? {} : { got }),
      ...(wanted === undefined ? {} : { wanted }),
      ...(hint === undefined ? {} : { hint }),
      path: pathText(at.find((each) => block.has(...each)) ?? at[0]!),
    };
    if (severity === 'error') block.diagnostics.error(code, place.file, place, message, detail);
    else block.diagnostics.warning(code, place.file, place, message, detail);
  }
}

/**
 * Where the first of some settings that is given stands: a single value itself, a list by its key; the start of the
 * file if none is given.
 */
function givenPlace(root: LocatedMap, paths: readonly Path[]): Place {
  const path = paths.find((each) => nodeAt(root, each) !== undefined);
  if (path === undefined) return root.place;
  return nodeAt(root, path)!.kind === 'scalar' ? placeOf(root, path) : keyPlaceOf(root, path);
}
