// The form of a workload that is a program of ranks: `workload: { program: NAME, … }`. Each program of the catalogue
// has settings of its own beside those of the machine.

import * as z from 'zod';
import { time, type SettingGroup } from '../../base/settings.js';
import { programFamilies } from '../../programs/families/catalogue.js';
import type { ProgramFamily } from '../../programs/families/family.js';
import { machineSettings } from '../../programs/machine.js';
import { mappingSettings } from '../../programs/mappings.js';
import { nodeAt, type LocatedMap, type Path } from './located.js';
import { pinSettings } from '../network/plan-pins.js';
import { checked, hostList, leaves, leavesWithoutDefault, word } from './setting-schema.js';
import { nearest } from '../suggest.js';

/** When a program runs. */
export const programTimeSettings = {
  start: time('0us', 'when it begins'),
} as const satisfies SettingGroup;

/** What is text: its meaning, and an example. */
export const programWords = {
  nodes: {
    meaning:
      'hosts of the fabric that it runs on, counted from 0, in order of its nodes, such as 0-63 or 0-127:2; ' +
      'left out: the first ones that have no other job, as many as it needs',
    example: 'hosts, such as 0-63',
  },
  nodeTile: {
    meaning: 'block of the grid on a node, of a tiled mapping; 3x3x4 if it is left out',
    example: '3x3x4',
  },
  leafTile: {
    meaning: 'block of nodes on a leaf, of a tiled mapping; 4x4x2 if it is left out',
    example: '4x4x2',
  },
} as const;

/** `workload: { program: NAME }` */
function programSchema(family: ProgramFamily): z.ZodObject {
  return z
    .strictObject({
      program: checked(() => null, { type: 'string', enum: [family.name], description: family.description }),
      ...leaves(family.settings),
      ...leaves(machineSettings),
      ...leaves(mappingSettings),
      ...leaves(programTimeSettings),
      ...Object.fromEntries(
        Object.entries(programWords).map(([name, { meaning, example }]) => {
          const form = name === 'nodes' ? hostList : word;
          return [name, form(meaning, example).optional()];
        }),
      ),
      ...leavesWithoutDefault(pinSettings),
    })
    .meta({ title: `program: ${family.name}`, description: family.description });
}

/** Of each program, by name. */
export const programForms: Readonly<Record<string, z.ZodObject>> = Object.fromEntries(
  programFamilies.map((family) => [family.name, programSchema(family)]),
);

/** The name of a program below a path; empty if none stands there. */
export function programAt(root: LocatedMap, path: Path): string {
  const node = nodeAt(root, [...path, 'program']);
  return node?.kind === 'scalar' ? String(node.value) : '';
}

/** What is wrong with the name of a program; null: it is known. */
export function programProblem(name: string): { readonly wanted: string; readonly hint?: string } | null {
  if (Object.hasOwn(programForms, name)) return null;
  const names = programFamilies.map((family) => family.name);
  const near = nearest(name, names);
  return { wanted: `one of ${names.join(', ')}`, ...(near === null ? {} : { hint: `did you mean ${near}?` }) };
}
