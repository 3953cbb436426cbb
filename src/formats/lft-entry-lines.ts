// On which line of a table file each entry stood. Mostly the entries of all switches stand in the same order, so lines
// are counted from the head of a table, and tables whose lines are the same share them.
// Invariant: lines of a table are known when the next one begins, or after `close`.

export class EntryLines {
  /** lines behind the head of the table in hand, by LID offset, then by destination; 0: no entry */
  readonly current: readonly Int32Array[];
  private readonly all: Int32Array;
  /** of each table that was closed, by row */
  private readonly lines: (Int32Array | undefined)[];
  private readonly heads: Int32Array;
  private last: Int32Array = new Int32Array(0);
  private row = -1;

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
  }

  /** Ends the table in hand, if there is one. */
  close(): void {
    const { all, last, row } = this;
    if (row === -1) return;
    this.row = -1;
    if (!isSame(all, last)) this.last = all.slice();
    this.lines[row] = this.last;
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

/** Whether two lists are the same; four are compared at once. */
function isSame(a: Int32Array, b: Int32Array): boolean {
  if (a.length !== b.length) return false;
  let i = 0;
  for (; i + 4 <= a.length; i += 4)
    if (((a[i]! ^ b[i]!) | (a[i + 1]! ^ b[i + 1]!) | (a[i + 2]! ^ b[i + 2]!) | (a[i + 3]! ^ b[i + 3]!)) !== 0)
      return false;
  for (; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
