// On which line of a table file each entry stood. Mostly the entries of all switches stand in the same order, so lines
// are counted from the head of a table, and tables whose lines are the same share them.
// Invariant: lines of a table are known when the next one begins, or after `close`.

export class EntryLines {
  /** lines behind the head of the table in hand, by LID offset, then by destination; 0: no entry */
  readonly current: readonly Int32Array[];
  /** the same of the last table whose lines were kept */
  last: readonly Int32Array[];
  private readonly all: Int32Array;
  private lastAll: Int32Array;
  /** of each table that was closed, by row */
  private readonly lines: (Int32Array | undefined)[];
  private readonly heads: Int32Array;
  private row = -1;
  /** entries of the table in hand, those of the last one, and bits in which their lines differ */
  private entries = 0;
  private lastEntries = 0;
  private differing = 0;

  constructor(
    rows: number,
    private readonly columns: number,
    private readonly offsets: number,
  ) {
    this.all = new Int32Array(columns * offsets);
    this.lastAll = new Int32Array(columns * offsets);
    this.current = this.byOffset(this.all);
    this.last = this.byOffset(this.lastAll);
    this.lines = Array.from<Int32Array | undefined>({ length: rows });
    this.heads = new Int32Array(rows);
  }

  /** Begins a table; what was known of an earlier one of the switch is forgotten. @param head its first line */
  begin(row: number, head: number): void {
    this.close();
    this.row = row;
    this.heads[row] = head;
    this.all.fill(0);
    this.entries = 0;
    this.differing = 0;
  }

  /** Puts the line of an entry of the table in hand. @param behind the head of the table */
  put(offset: number, destination: number, behind: number): void {
    this.current[offset]![destination] = behind;
    this.note(1, behind ^ this.last[offset]![destination]!);
  }

  /** Takes note of entries whose lines were put into `current`. @param differing bits that are not those of `last` */
  note(entries: number, differing: number): void {
    this.entries += entries;
    this.differing |= differing;
  }

  /** Ends the table in hand, if there is one. */
  close(): void {
    const { row, entries } = this;
    if (row === -1) return;
    this.row = -1;
    if (this.differing !== 0 || entries !== this.lastEntries) {
      this.lastAll = this.all.slice();
      this.last = this.byOffset(this.lastAll);
      this.lastEntries = entries;
    }
    this.lines[row] = this.lastAll;
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

  private byOffset(lines: Int32Array): Int32Array[] {
    const { columns, offsets } = this;
    return Array.from({ length: offsets }, (_, i) => lines.subarray(i * columns, (i + 1) * columns));
  }
}
