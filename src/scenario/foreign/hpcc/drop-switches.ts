// config_drop_switches.txt of OmniDMA's simulator -> places of `loss.places`: a switch a line, with the numbers of its
// ports or all of them: `0 [all]`, `3 [1,2,5-8]`.
// Invariant: every mistake has file, line and column. Source: the file that it ships. Ports are counted from 1, as
// there; one that a switch does not have is an error here, and a warning there.

import { type Diagnostics, FileProblems } from '../../../base/diagnostics.js';
import { columnOf, contentLines } from '../../../formats/lines.js';
import type { Located, Place } from '../../form/located.js';

/** most ports of a line */
const mostPorts = 4096;

/** Reads such a file. @returns lines of `loss.places` */
export function readDropSwitches(text: string, file: string, diagnostics: Diagnostics): Located[] {
  const places: Located[] = [];
  const problems = new FileProblems(file, diagnostics);
  for (const { line, text: row } of contentLines(text, problems)) {
    const at: Place = { file, line, column: columnOf(row) };
    const match = /^\s*(\d{1,9})\s*\[([^[\]]{0,60000})\]\s*$/.exec(row);
    const ports = match === null ? null : portsOf(match[2]!);
    if (match === null || ports === null) {
      problems.error('loss-places', at, 'the line is not a switch and its ports', {
        got: row.trim().slice(0, 80),
        wanted: 'a switch and its ports, such as 0 [all] or 3 [1,2,5-8]',
      });
      continue;
    }
    const node = Number(match[1]);
    if (ports === 'all') places.push(placeOf('switch', node, at));
    else for (const port of ports) places.push(placeOf('port', `${node}:${port}`, at));
  }
  return places;
}

function placeOf(name: string, value: string | number, place: Place): Located {
  const scalar = { kind: 'scalar', place, value, text: String(value) } as const;
  return { kind: 'map', place, entries: new Map([[name, { keyPlace: place, value: scalar }]]) };
}

function portsOf(text: string): readonly number[] | 'all' | null {
  if (text.trim() === 'all') return 'all';
  const ports: number[] = [];
  for (const part of text.split(',')) {
    const range = /^\s*(\d{1,5})(?:\s*-\s*(\d{1,5}))?\s*$/.exec(part);
    if (range === null) return null;
    const to = Number(range[2] ?? range[1]);
    for (let port = Number(range[1]); port <= to; port++) {
      if (ports.length === mostPorts) return null;
      ports.push(port);
    }
  }
  return ports;
}
