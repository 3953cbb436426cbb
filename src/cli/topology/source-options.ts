// The command line of SimAI's gen_Topo_Template.py as that of `weft topology generate`: -topo NAME -g 128 -bw 100Gbps.
// Invariant: words that are not of that form stay as they are; without -topo nothing changes but the dashes.
// Source: communication-stack document (docs/SOURCES.md), §7, and the README of the generator.

import { fabricFamilies } from '../../fabric/generators/catalogue.js';

/** options of the script that name a parameter, with one dash */
const letters: ReadonlySet<string> = new Set(fabricFamilies.flatMap((family) => Object.keys(family.aliases)));

/**
 * The words of a command line with the script's options spelt out. As the script does, -topo writes a file under its
 * default name into the working folder, unless --out says otherwise.
 */
export function generatorWords(commandLine: readonly string[]): string[] {
  const at = commandLine.indexOf('generate');
  if (at < 0) return [...commandLine];
  const words = commandLine
    .slice(at + 1)
    .map((word) => (/^-[a-z]+$/.test(word) && letters.has(word.slice(1)) ? `-${word}` : word));
  const topology = words.indexOf('-topo');
  if (topology >= 0) {
    const [, name = ''] = words.splice(topology, 2);
    words.unshift(name);
    if (!words.includes('--out')) words.push('--out', './');
  }
  return [...commandLine.slice(0, at + 1), ...words];
}
