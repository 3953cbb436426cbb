// On which line of a table file each entry stood. Mostly the entries of many switches stand in the same order, so lines
// are counted from the head of a table, and tables whose lines are the same share them.
// Invariant: lines of a table are known when the next one begins, or after `close`.

/** What the line of an entry adds to the sum that tells tables apart. @param behind the head of its table */
export function entryMark(destination: number, behind: number): number {
  return Math.imul(destination + 1, behind);
}

export class EntryLines {
  /** lines behind the head of the table in hand, by LID offset, then by destination; 0: no entry */
  readonly current: readonly Int32Array[];
  private readonly all: Int32Array;
  /** of each table that was closed, by row */
  private readonly lines: (Int32Array | undefined)[];
  /** lines of closed tables, by the sum of their marks */
  private readonly kept = new Map<number, Int32Array[]>();
  private readonly heads: Int32Array;
  private row = -1;
  /** sum of the marks of the table in hand */
  private marks = 0;

  constructor(
    rows: number,
    private readonly columns: number,
    offsets: number,
  ) {
    this.all = new Int32Array(columns * offsets);
    this.current = Array.from({ length: offsets }, (_, i) => this.all.subarray(i * columns, (i + 1) * columns));
    this.lines = Array.from<Int32Array | undefined>({ length: rows });
    this.heads = new Int32Array(rows);
  }

  /** Begins a table; what was known of an earlier one of the switch is forgotten. @param head its first line */
  begin(row: number, head: number): void {
    this.close();
    this.row = row;
    this.heads[row] = head;
    this.all.fill(0);
    this.marks = 0;
  }

  /** Puts the line of an entry of the table in hand. @param behind the head of the table */
  put(offset: number, destination: number, behind: number): void {
    this.current[offset]![destination] = behind;
    this.note(entryMark(destination, behind));
  }

  /** Takes note of entries whose lines were put into `current`. @param marks the sum of theirs */
  note(marks: number): void {
    this.marks = (this.marks + marks) | 0;
  }

  /** Ends the table in hand, if there is one. */
  close(): void {
    const { row, marks, all } = this;
    if (row === -1) return;
    this.row = -1;
    const alike = this.kept.get(marks) ?? [];
    let lines = alike.find((own) => isSame(own, all));
    if (lines === undefined) {
      lines = all.slice();
      this.kept.set(marks, [...alike, lines]);
    }
    this.lines[row] = lines;
  }

  /** The line of an entry; 0 if there was none. */
  line(offset: number, row: number, destination: number): number {
    const behind = this.lines[row]?.[offset * this.columns + destination] ?? 0;
    return behind === 0 ? 0 : this.heads[row]! + behind;
  }

  /** The line on which a table begins; 0 if there was none. */
  head(row: number): number {
    return this.heads[row]!;
  }

  /** Whether a table has an entry of a LID offset. */
  hasAny(offset: number): boolean {
    const { columns } = this;
    return [...new Set(this.lines)].some((lines) =>
      lines?.subarray(offset * columns, (offset + 1) * columns).some((line) => line !== 0),
    );
  }
}

function isSame(a: Int32Array, b: Int32Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
