// The figure of `weft route`: a fabric by level with the load of its links, for one table or several, one below the
// other. Small fabrics link by link (fabric-diagram.ts), large ones as matrices (fabric-heat-map.ts); below that how
// loads are spread, and the worst links.
// Invariant: colours mean the same in all panels: those of one scale.

import { fabricDiagram, fitsDiagram } from './fabric-diagram.js';
import { fabricHeatMap } from './fabric-heat-map.js';
import { boundScale, loadLegend } from './load-classes.js';
import { stagesOf, worstPorts, type LoadedFabric } from './loaded-fabric.js';
import { largestLoad, sortedLoads, worstLinks } from './sorted-loads.js';
import { fitting, textElement } from './svg-text.js';

const width = 1200;
const margin = 28;
const namedLinks = 8;

/** One table's part of the figure. */
export interface FabricPanel {
  /** algorithm or file */
  readonly title: string;
  /** largest load, gaps, what is hot: lines of at most about 170 characters */
  readonly facts: readonly string[];
  readonly loaded: LoadedFabric;
  /** loads are marks of links: how they are spread says nothing */
  readonly isMarked?: boolean;
}

/** The figure as SVG. @param title what all panels have in common @param notes below it, a line each */
export function fabricFigure(title: string, notes: readonly string[], panels: readonly FabricPanel[]): string {
  const elements = [textElement(margin, 28, fitting(title, width - 2 * margin, 16), { size: 16, bold: true })];
  let y = 36;
  for (const note of notes) {
    y += 16;
    elements.push(textElement(margin, y, fitting(note, width - 2 * margin, 12), { colour: '#555555' }));
  }
  y += 14;
  const isSmall = panels[0] !== undefined && fitsDiagram(panels[0].loaded);
  const legend = loadLegend(panels[0]?.loaded.scale ?? boundScale, margin, y);
  elements.push(
    ...legend.elements,
    textElement(
      legend.end + 8,
      y + 11,
      isSmall ? 'half a link: what the switch at that end sends' : 'outlined: the worst links',
      { colour: '#555555' },
    ),
  );
  y += 34;
  const largest = Math.max(1, ...panels.map(({ loaded }) => largestLoad(loaded, stagesOf(loaded.tree))));
  for (const { title: own, facts, loaded, isMarked = false } of panels) {
    elements.push(
      `<line x1="${margin}" x2="${width - margin}" y1="${y - 6}" y2="${y - 6}" stroke="#cccccc"/>`,
      textElement(margin, y + 14, fitting(own, width - 2 * margin, 14), { size: 14, bold: true }),
    );
    y += 18;
    for (const fact of facts) {
      y += 15;
      elements.push(textElement(margin, y, fitting(fact, width - 2 * margin, 12)));
    }
    y += 12;
    if (loaded.tree.levels > 1) {
      const worst = worstPorts(loaded, namedLinks);
      const picture = isSmall
        ? fabricDiagram(loaded, margin, y, width - 2 * margin)
        : fabricHeatMap(loaded, worst, margin, y, width - 2 * margin);
      elements.push(...picture.elements);
      y += picture.height + 12;
      if (!isMarked) {
        const curves = sortedLoads(loaded, largest, margin + 16, y, width - 2 * margin - 16);
        elements.push(...curves.elements);
        y += curves.height + 8;
      }
      const names = worstLinks(loaded, worst, margin, y, width - 2 * margin);
      elements.push(...names.elements);
      y += names.height + 20;
    } else {
      elements.push(
        textElement(margin, y + 12, 'one switch: there are no links between switches', { colour: '#777777' }),
      );
      y += 36;
    }
  }
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${y}" viewBox="0 0 ${width} ${y}" ` +
      'font-family="Helvetica, Arial, sans-serif" font-size="12">',
    `<rect width="${width}" height="${y}" fill="#ffffff"/>`,
    ...elements,
    '</svg>',
  ].join('\n')}\n`;
}
