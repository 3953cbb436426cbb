// A case of the comparison of backends as a task of a worker process (campaign/run-pool.ts), by its place among all cases.

import { agreementCases, agreementFabrics, agreementSizes } from './cases.js';
import { agreementRow, type AgreementRow } from './measure.js';

/** fabrics are made once in a process */
const cases = agreementFabrics().flatMap(agreementCases);

/** Times a case at every size. */
export default async function performCase(_shared: null, place: number): Promise<AgreementRow[]> {
  const rows: AgreementRow[] = [];
  for (const sizeBytes of agreementSizes) rows.push(await agreementRow(cases[place]!, sizeBytes));
  return rows;
}
