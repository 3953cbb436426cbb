// A fabric of a file, whatever form it has. What reads scenarios is all of the simulator, and is loaded when one comes.

import type { Diagnostics } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import { readFabricForm, type FabricOfFile } from '../../formats/fabric-file.js';

/**
 * A fabric from a file of any form (formats/fabric-file.ts), or that of a scenario (.yaml).
 * @returns null after at least one error
 */
export async function readAnyFabric(
  text: string,
  file: string,
  host: Host,
  diagnostics: Diagnostics,
): Promise<FabricOfFile | null> {
  return /\.ya?ml$/i.test(file)
    ? (await import('./fabric-of-scenario.js')).fabricOfScenario(text, file, host, diagnostics)
    : readFabricForm(text, file, diagnostics);
}
