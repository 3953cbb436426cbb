// What share of its largest bus bandwidth a collective reaches by its size, as measured tables of SimAI say: rows by
// size, columns by number of servers.
// Invariant: the ratio is 1 at 16 GiB and for numbers of servers that nobody measured.
// Source: the figures of SimAI's inputs/ratio/{nic,nvlink,ata}_ratio.csv, release 1.6 (docs/SOURCES.md#simai). A
// column that is empty there is left out here: SimAI reads it as 1.
// Not modelled: sizes above 16 GiB, at which SimAI ends with an error: the last row holds.

/** Tables by what bounds the collective: NICs, NVLink, or an all-to-all. */
const ratioTables = ['nic', 'nvlink', 'alltoall'] as const;
export type RatioTable = (typeof ratioTables)[number];

/** Rows of all tables: 16 MiB, 32 MiB, ... 16 GiB. */
const firstRowBytes = 16_777_216;

/**
 * By number of servers, or `multi`: groups that take one GPU of a server each. A number that is not listed takes the
 * column of 16 servers.
 */
type RatioColumns = Readonly<Record<number | 'multi', readonly number[]>>;

const oneServer = [0.45, 0.55, 0.65, 0.69, 0.73, 0.76, 0.77, 0.78, 0.79, 0.8, 0.81];
const multi = [0.86, 0.92, 0.94, 0.94, 0.94, 0.95, 0.96, 0.96, 0.96, 0.96, 0.96];
/** Columns of more than 16 servers in tables whose columns there are empty. */
const unmeasured = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1];
const unmeasuredAbove16 = { 32: unmeasured, 64: unmeasured, 128: unmeasured };

const columns: Readonly<Record<RatioTable, RatioColumns>> = {
  nic: {
    1: oneServer,
    2: [0.32, 0.47, 0.5, 0.67, 0.85, 0.89, 0.92, 0.94, 0.95, 0.95, 0.96],
    4: [0.24, 0.38, 0.53, 0.67, 0.77, 0.85, 0.93, 0.94, 0.95, 0.96, 0.96],
    8: [0.13, 0.24, 0.39, 0.54, 0.69, 0.78, 0.9, 0.94, 0.95, 0.96, 0.96],
    16: [0.05, 0.11, 0.21, 0.38, 0.57, 0.73, 0.76, 0.92, 0.95, 0.96, 0.96],
    32: [0.044, 0.052, 0.106, 0.205, 0.387, 0.562, 0.74, 0.758, 0.923, 0.953, 0.957],
    64: [0.021, 0.042, 0.051, 0.107, 0.209, 0.384, 0.563, 0.745, 0.755, 0.914, 0.958],
    128: [0.0087, 0.021225, 0.04405, 0.0533, 0.1027, 0.1902, 0.314575, 0.553525, 0.740175, 0.7648, 0.919175],
    multi,
  },
  nvlink: {
    1: oneServer,
    2: [0.55, 0.68, 0.74, 0.8, 0.84, 0.86, 0.87, 0.87, 0.88, 0.88, 0.88],
    4: [0.34, 0.6, 0.71, 0.74, 0.79, 0.86, 0.87, 0.87, 0.88, 0.88, 0.88],
    8: [0.16, 0.34, 0.62, 0.7, 0.78, 0.82, 0.86, 0.87, 0.88, 0.88, 0.88],
    16: [0.08, 0.16, 0.33, 0.65, 0.72, 0.75, 0.83, 0.86, 0.87, 0.88, 0.88],
    ...unmeasuredAbove16,
    multi,
  },
  alltoall: {
    1: [0.44, 0.51, 0.6, 0.65, 0.7, 0.71, 0.74, 0.76, 0.77, 0.78, 0.78],
    2: [0.52, 0.63, 0.72, 0.76, 0.79, 0.8, 0.81, 0.81, 0.8, 0.8, 0.8],
    4: [0.67, 0.68, 0.83, 0.9, 0.92, 0.94, 0.94, 0.95, 0.95, 0.95, 0.95],
    8: [0.64, 0.67, 0.82, 0.85, 0.87, 0.89, 0.92, 0.93, 0.94, 0.94, 0.94],
    16: [0.62, 0.66, 0.66, 0.72, 0.75, 0.81, 0.85, 0.88, 0.89, 0.9, 0.9],
    ...unmeasuredAbove16,
    multi,
  },
};

/**
 * The share of the bandwidth at 16 GiB that a size reaches: between two rows on the line between them, below the first
 * row as there.
 * @param servers over which the group spreads, or `multi`
 */
export function busbwRatio(table: RatioTable, servers: number | 'multi', sizeBytes: number): number {
  const column = columns[table][servers] ?? columns[table][16]!;
  const last = column.length - 1;
  const largest = column[last]!;
  if (sizeBytes <= firstRowBytes) return column[0]! / largest;
  let [row, rowBytes] = [0, firstRowBytes];
  while (row < last && sizeBytes > 2 * rowBytes) {
    row++;
    rowBytes *= 2;
  }
  if (row === last) return 1;
  return (column[row]! + ((column[row + 1]! - column[row]!) * (sizeBytes - rowBytes)) / rowBytes) / largest;
}
