// Files of transfers, one a row, that are read in pieces: what the two readings of such a file (trace-source.ts) need
// to know of its form.

import type { Diagnostics } from '../base/diagnostics.js';
import type { Fabric } from '../fabric/fabric.js';

/** Receives the rows of a file of transfers, one at a time. */
export interface TransferRowSink {
  /**
   * @param startPs start in picoseconds
   * @param source sending host or NVSwitch, @param destination receiving host or NVSwitch
   * @param sizeBytes payload, at least 1
   * @param line line of the file, from 1
   */
  row(startPs: number, source: number, destination: number, sizeBytes: number, line: number): void;
}

/** Parses a file piece by piece: `push` each piece, then `end`. Mistakes go to the diagnostics. */
export interface RowParser {
  /** no more bytes are wanted: too many errors, or nothing more counts */
  readonly stopped: boolean;
  /** the last line that was read, from 1; 0 in an empty file */
  readonly lastLine: number;
  /** Reads the next bytes of the file; a line may be cut anywhere. The bytes are not kept. */
  push(bytes: Uint8Array): void;
  /** The file ends here. */
  end(): void;
}

/** The form of a file of transfers. */
export interface RowForm {
  /** how the codes of its mistakes begin */
  readonly code: string;
  /** what such a file is called */
  readonly noun: string;
  /** a row, for messages */
  readonly rowText: string;
  /** how a file is put in order of time, for a hint; undefined: by no one command */
  sortHint(file: string): string | undefined;
  parser(file: string, fabric: Fabric, diagnostics: Diagnostics, sink: TransferRowSink): RowParser;
}
