// The service levels that blocks of a scenario ask for what they send: jobs, programs, traces and transfers.

import type { Located, Path } from '../form/located.js';

const key = 'serviceLevel';

/** A block that asks for a level. */
export interface GivenLevel {
  readonly path: Path;
  readonly level: number;
}

/** All of them, in the order of the scenario. */
export function givenLevels(node: Located, path: Path = []): GivenLevel[] {
  if (node.kind === 'list') return node.items.flatMap((item, i) => givenLevels(item, [...path, i]));
  if (node.kind === 'scalar') return [];
  return [...node.entries].flatMap(([name, { value }]): GivenLevel[] =>
    name === key && value.kind === 'scalar'
      ? [{ path, level: Number(value.value) }]
      : givenLevels(value, [...path, name]),
  );
}
