// How long PFC, DCQCN and source flow control take to stop an incast, and what DCQCN's time is made of: the tables of
// docs/models/source-flow-control.md. What is run stands in validation/reaction-times.ts.

import { dcqcnSteps, reactionTimes, type Scheme, schemes } from '../reaction-times.js';
import { writeBlock } from './pages.js';

export const reactionPage = 'docs/models/source-flow-control.md';

export interface ReactionTable {
  /** of its place in the page */
  readonly name: string;
  markdown(): string;
}

/** What the source's table says, in the rows that it stands for. */
const claims: Readonly<Record<string, readonly [sender: string, ingress: string]>> = {
  'PFC, 200 kB a port': ['> 50 to 200', '2'],
  'DCQCN, a CNP at most every 50 us': ['> 100', '> 100'],
  'SFC at the end station, t1 = t2 = 1 us': ['2 to 10', '2 to 15'],
};

export const reactionTables: readonly ReactionTable[] = [
  {
    name: 'reaction-times',
    markdown: () =>
      `| | senders stop | source | the congested switch's ingress stops | source | a port that has sent a PFC frame |\n|---|---|---|---|---|---|\n${schemes.map(rowOf).join('')}`,
  },
  {
    name: 'dcqcn-steps',
    markdown: () =>
      `| DCQCN | senders stop | the congested switch's ingress stops |\n|---|---|---|\n${dcqcnSteps.map(stepOf).join('')}`,
  },
];

/** Runs and writes both tables, and prints them. */
export function writeReactionTables(): void {
  for (const { name, markdown } of reactionTables) {
    process.stderr.write(`${name} …\n`);
    const table = markdown();
    writeBlock(reactionPage, name, `\n${table}\n`);
    process.stdout.write(table);
  }
}

function rowOf(scheme: Scheme): string {
  const { senderPs, ingressPs, portPs } = reactionTimes(scheme);
  const [sender, ingress] = claims[scheme.name] ?? ['', ''];
  return `| ${scheme.name} | ${us(senderPs)} | ${sender} | ${us(ingressPs)} | ${ingress} | ${portPs === null ? '' : us(portPs)} |\n`;
}

function stepOf(scheme: Scheme): string {
  const { senderPs, ingressPs } = reactionTimes(scheme);
  return `| ${scheme.name} | ${us(senderPs)} | ${us(ingressPs)} |\n`;
}

/** Microseconds; the runs last 400. */
const us = (ps: number): string => (ps === Infinity ? 'not in 400' : (ps / 1e6).toFixed(1));
