// What `weft topology` prints for people, at most 80 columns wide.

import { formatDiagnostic, type Diagnostic } from '../../base/diagnostics.js';
import { formatRateBps, formatTimePs } from '../../base/units.js';
import { NodeKind, type Fabric } from '../../fabric/fabric.js';
import type { FabricFamily } from '../../fabric/generators/catalogue.js';
import { serverSwitchNames } from '../../fabric/server-switch.js';
import type { FabricSummary } from '../../fabric/summary.js';
import { counted } from '../../report/text-style.js';
import { kebabCase } from '../options/family-options.js';

const width = 80;

/** The families with their parameters, defaults and short names. */
export function familyList(families: readonly FabricFamily[]): string {
  const blocks = families.map((family) => {
    const lines = [family.name, ...hanging('  ', family.description)];
    for (const [key, setting] of Object.entries(family.settings)) {
      const short = Object.entries(family.aliases).find(([, target]) => target === key)?.[0];
      const text = `${setting.description}${short === undefined ? '' : ` [--${short}]`}`;
      const preset = setting.kind === 'flag' ? '' : String(setting.default);
      lines.push(...hanging(`  --${kebabCase(key)}`.padEnd(26) + preset.padEnd(10), text));
    }
    return lines.join('\n');
  });
  return `${blocks.join('\n\n')}\n`;
}

/** What was written to a file, in one line. */
export function generatedLine(path: string, fabric: Fabric): string {
  const { one, many } = serverSwitchNames(fabric);
  let nvswitches = 0;
  for (let node = 0; node < fabric.nodeCount; node++) if (fabric.nodeKind[node] === NodeKind.nvswitch) nvswitches++;
  const parts = [
    counted(fabric.hosts.length, 'host'),
    ...(nvswitches > 0 ? [counted(nvswitches, one, many)] : []),
    counted(fabric.nodeCount - fabric.hosts.length - nvswitches, 'switch', 'switches'),
    counted(fabric.linkCount, 'link'),
  ];
  return `${path}: ${parts.join(', ')}\n`;
}

/** What stands in a fabric. @param health what is odd about its cables @param more further lines */
export function fabricReport(
  file: string,
  summary: FabricSummary,
  warnings: readonly Diagnostic[],
  health: readonly string[],
  more: readonly string[],
): string {
  const {
    hosts,
    servers,
    gpusPerServer,
    gpuType,
    nvswitches,
    pcieSwitches,
    switches,
    switchesByTier,
    links,
    linkClasses,
    unreachable,
  } = summary;
  const tiers = switchesByTier.length > 1 ? ` (${switchesByTier.join(' + ')} from the hosts up)` : '';
  const lines = [
    file,
    ...health,
    `  hosts       ${hosts}${gpuType === '' ? '' : ` ${gpuType}`} in ${servers} server${servers === 1 ? '' : 's'} of ${gpusPerServer}`,
    pcieSwitches > 0
      ? `  in servers  ${counted(pcieSwitches, 'PCIe switch', 'PCIe switches')}`
      : `  NVSwitches  ${nvswitches}`,
    `  switches    ${switches}${tiers}`,
    '  names       what nodes are called, and their ids',
    ...summary.tiers.flatMap(({ names, ids }) => hanging(`    ${names.padEnd(20)}  `, ids)),
    ...(summary.planes.length > 8 ? [] : summary.planes.map((plane) => `    ${plane}`)),
    `  links       ${links}`,
  ];
  const shown = linkClasses.slice(0, 20);
  for (const { ends, rateBps, latencyPs, errorRate, count } of shown) {
    const loss = errorRate === 0 ? '' : `  loses ${errorRate}`;
    lines.push(
      `    ${String(count).padStart(8)}  ${ends.padEnd(17)} ${formatRateBps(rateBps).padStart(9)}  ${formatTimePs(latencyPs).padStart(7)}${loss}`,
    );
  }
  if (linkClasses.length > shown.length) lines.push(`    and ${linkClasses.length - shown.length} more kinds of links`);
  lines.push(
    `  connected   ${unreachable === null ? 'every linked host reaches every other' : `no: host ${unreachable.from} cannot reach host ${unreachable.to}`}`,
    ...more,
  );
  const noted = warnings.length === 0 ? '' : `\n${warnings.map(formatDiagnostic).join('\n')}\n`;
  return `${lines.join('\n')}\n${noted}`;
}

/** A first column and words beside it, wrapped under themselves. */
function hanging(first: string, text: string): string[] {
  const lines: string[] = [];
  let line = first;
  let empty = true;
  for (const word of text.split(' ')) {
    if (!empty && line.length + 1 + word.length > width) {
      lines.push(line);
      line = ' '.repeat(first.length);
      empty = true;
    }
    line += empty ? word : ` ${word}`;
    empty = false;
  }
  return [...lines, line];
}
