// A fabric from what a tool of InfiniBand printed, whichever: the first lines tell. Read are ibnetdiscover (with or
// without -g, -f, -s), ibnetdiscover -p, ibdiagnet2.lst and ibdiagnet2.db_csv; others are refused by name.

import { FileProblems, type Diagnostics } from '../base/diagnostics.js';
import { readDiagnosticTables, tablesBegin } from './ibdiagnet-db-csv.js';
import { linkListBegins, readLinkList } from './ibdiagnet-lst.js';
import { portsReportBegins, readPortsReport } from './ibnetdiscover-ports.js';
import { readIbnetdiscover } from './ibnetdiscover.js';
import { linesOf } from './lines.js';
import type { IdentifiedFabric } from './subnet-records.js';

/** Characters of a file that tell its form. */
const looked = 65_536;

const ownForm = /^(?:\w{1,20}guid=0x|vendid=0x|Switch[ \t]+\d+[ \t]+"|H?[Cc]a[ \t]+\d+[ \t]+"|Rt[ \t]+\d+[ \t]+")/;

/** What is printed about a fabric and does not say how it hangs together, or says it in too few words. */
const refused: readonly { readonly begins: RegExp; readonly what: string; readonly hint: string }[] = [
  {
    begins: /^(?:Ca|Switch|Router|Rt)[ \t]{1,20}: 0x[0-9a-fA-F]{16} ports \d/,
    what: 'the file is a list of nodes without links (ibnetdiscover -l, -H, -S)',
    hint: 'ibnetdiscover without these options prints links as well',
  },
  {
    begins: /==\([^)]{0,200}\)==>/,
    what: 'the file is what iblinkinfo prints, which is not read',
    hint: 'ibnetdiscover prints the same links with GUIDs and LIDs',
  },
  {
    begins: /^[^"]{0,20}(?:"[^"]{0,100}")?.{0,100}:[ \t]{0,10}PhysSta[ \t]{0,10}:/,
    what: 'the file is ibdiagnet2.net_dump, which is not read',
    hint: 'ibdiagnet writes ibdiagnet2.lst and ibdiagnet2.db_csv beside it; both are read',
  },
];

/** Whether a text begins as one of these does, those that are refused by name among them. */
export function isInfinibandFabric(text: string): boolean {
  return Array.from(linesOf(text.slice(0, looked)), (line) => line.text.trim()).some(
    (line) =>
      [ownForm, portsReportBegins, linkListBegins, tablesBegin].some((begins) => begins.test(line)) ||
      refused.some(({ begins }) => begins.test(line)),
  );
}

/**
 * Reads a fabric from the output of ibnetdiscover or ibdiagnet.
 * @param file its name, for messages
 * @param diagnostics receives every mistake, and warnings about what was left out
 * @returns null if the file has errors
 */
export function readInfinibandFabric(text: string, file: string, diagnostics: Diagnostics): IdentifiedFabric | null {
  const problems = new FileProblems(file, diagnostics);
  for (const { line: number, text: whole } of linesOf(text.slice(0, looked))) {
    const line = whole.trim();
    if (ownForm.test(line)) break;
    if (portsReportBegins.test(line)) return readPortsReport(text, file, diagnostics);
    if (linkListBegins.test(line)) return readLinkList(text, file, diagnostics);
    if (tablesBegin.test(line)) return readDiagnosticTables(text, file, diagnostics);
    const other = refused.find(({ begins }) => begins.test(line));
    if (other !== undefined) {
      problems.error('other-file', { line: number, column: 1 }, other.what, {
        got: line.slice(0, 60),
        wanted: 'what ibnetdiscover prints, ibdiagnet2.lst or ibdiagnet2.db_csv',
        hint: other.hint,
      });
      return null;
    }
  }
  return tablesBegin.test(text)
    ? readDiagnosticTables(text, file, diagnostics)
    : readIbnetdiscover(text, file, diagnostics);
}
