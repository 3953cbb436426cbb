// What is wrong with an input: collected, positioned, and reported together before anything runs.
// Every message says where (file:line:column), what was found, what was wanted and what to do.

import { brokenAtSpaces, printable } from './printable.js';

export type Severity = 'error' | 'warning';

/** A place in a text: lines and columns count from 1; 0 means "the file as a whole". */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export const wholeFile: Position = { line: 0, column: 0 };

export interface Diagnostic {
  readonly severity: Severity;
  /** stable kebab-case name of the kind of mistake, such as `unknown-node` */
  readonly code: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly got?: string | undefined;
  readonly wanted?: string | undefined;
  readonly hint?: string | undefined;
  /** of the setting that it is about, such as `routing.balancing`; for programs, people have the place */
  readonly path?: string;
}

export interface DiagnosticDetail {
  readonly got?: string | undefined;
  readonly wanted?: string | undefined;
  readonly hint?: string | undefined;
  readonly path?: string;
}

/** Characters shown of what was found, and of every other part. */
const longestFound = 60;
const longestText = 2000;

/** Characters of a line that stays whole, and of those that a longer one is broken into. */
const longestLine = 160;
const lineColumns = 80;

/** How many errors one input may collect before reading stops: the first ones matter, and memory is bounded. */
const errorLimit = 20;

/** Collects the diagnostics of one command over any number of files. */
export class Diagnostics {
  readonly list: Diagnostic[] = [];
  errorCount = 0;

  /** Records an error at a position of a file. */
  error(code: string, file: string, at: Position, message: string, detail: DiagnosticDetail = {}): void {
    this.errorCount++;
    if (this.errorCount <= errorLimit)
      this.list.push({ severity: 'error', code, file, line: at.line, column: at.column, message, ...detail });
  }

  /** Records a warning: the run goes on, and the warning stands in its manifest. */
  warning(code: string, file: string, at: Position, message: string, detail: DiagnosticDetail = {}): void {
    if (this.list.length < 10 * errorLimit)
      this.list.push({ severity: 'warning', code, file, line: at.line, column: at.column, message, ...detail });
  }

  /** Records warnings again that were found before. */
  repeat(warnings: readonly Diagnostic[]): void {
    for (const { code, file, line, column, message, severity: _, ...detail } of warnings)
      this.warning(code, file, { line, column }, message, detail);
  }

  get hasErrors(): boolean {
    return this.errorCount > 0;
  }

  /** True once so many errors were collected that reading further is pointless. */
  get full(): boolean {
    return this.errorCount >= errorLimit;
  }

  /** The warnings alone. */
  get warnings(): Diagnostic[] {
    return this.list.filter((diagnostic) => diagnostic.severity === 'warning');
  }

  /** @throws InputError if at least one error was collected */
  throwIfErrors(): void {
    if (this.hasErrors) throw new InputError(this.list, this.errorCount);
  }
}

/** What is wrong with one file: what its readers find goes to the diagnostics of the command. */
export class FileProblems {
  private readonly errorsBefore: number;

  constructor(
    readonly file: string,
    readonly diagnostics: Diagnostics,
  ) {
    this.errorsBefore = diagnostics.errorCount;
  }

  /** Records an error at a position of the file. */
  error(code: string, at: Position, message: string, detail?: DiagnosticDetail): void {
    this.diagnostics.error(code, this.file, at, message, detail);
  }

  /** Records a warning at a position of the file. */
  warning(code: string, at: Position, message: string, detail?: DiagnosticDetail): void {
    this.diagnostics.warning(code, this.file, at, message, detail);
  }

  /** Whether an error has come since this was made. */
  get failed(): boolean {
    return this.diagnostics.errorCount > this.errorsBefore;
  }

  /** True once so many errors were collected that reading further is pointless. */
  get full(): boolean {
    return this.diagnostics.full;
  }
}

/** Bad input, with everything that was found wrong. The command line turns it into exit code 2. */
export class InputError extends Error {
  override readonly name = 'InputError';

  constructor(
    readonly diagnostics: readonly Diagnostic[],
    readonly errorCount = diagnostics.filter((diagnostic) => diagnostic.severity === 'error').length,
  ) {
    super(diagnostics.map(formatDiagnostic).join('\n'));
  }

  /** One error at one place. */
  static at(code: string, file: string, at: Position, message: string, detail: DiagnosticDetail = {}): InputError {
    return new InputError([{ severity: 'error', code, file, line: at.line, column: at.column, message, ...detail }]);
  }

  /** One error about a file as a whole, an option, or anything else without lines. */
  static about(code: string, file: string, message: string, detail?: DiagnosticDetail): InputError {
    return InputError.at(code, file, wholeFile, message, detail);
  }
}

/** What was read, and what is odd about it. */
export interface Reading<Value> {
  readonly value: Value;
  readonly warnings: readonly Diagnostic[];
}

/** Reads an input. @param read null after an error @throws InputError with everything that was found wrong */
export function reading<Value>(read: (diagnostics: Diagnostics) => Value | null): Reading<Value> {
  const diagnostics = new Diagnostics();
  const value = read(diagnostics);
  diagnostics.throwIfErrors();
  return { value: value!, warnings: diagnostics.warnings };
}

/**
 * A diagnostic as people read it, at most a few lines.
 * @returns `file:line:column: error: message`, then found / wanted / hint on indented lines of their own
 */
export function formatDiagnostic(diagnostic: Diagnostic): string {
  const { file, line, column, severity, message, got, wanted, hint } = diagnostic;
  const where = printable(file, longestText);
  const place = line > 0 ? `${where}:${line}:${column}` : where;
  const lines = [`${place}: ${severity}: ${printable(message, longestText)}`];
  if (got !== undefined) lines.push(`  found:  ${printable(got, longestFound)}`);
  if (wanted !== undefined) lines.push(...beside('  wanted: ', wanted));
  if (hint !== undefined) lines.push(...beside('  hint:   ', hint));
  return lines.join('\n');
}

/** Lists that are longer than a few lines are broken at their spaces; what may be copied stays on its line. */
function beside(label: string, text: string): string[] {
  const own = printable(text, longestText);
  return own.length <= longestLine
    ? [`${label}${own}`]
    : brokenAtSpaces(own, lineColumns - label.length).map(
        (line, i) => `${i === 0 ? label : ' '.repeat(label.length)}${line}`,
      );
}
