// Growable typed-array columns. A column never shrinks; growing replaces the array, so never keep one in a local across
// a call that may grow it.

export type Column = Float64Array | Float32Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;

/**
 * A copy of a column with room for at least `capacity` elements (the same column if it has it already).
 * @param fill value of the new elements
 */
export function grown<T extends Column>(column: T, capacity: number, fill = 0): T {
  if (column.length >= capacity) return column;
  const Constructor = column.constructor as new (length: number) => T;
  const next = new Constructor(capacity);
  next.set(column);
  if (fill !== 0) next.fill(fill, column.length);
  return next;
}

/** A list of int32 values in one growing array. */
export class Int32List {
  values: Int32Array;
  length = 0;

  /** @param capacity room at the beginning, at least 1 */
  constructor(capacity = 64) {
    this.values = new Int32Array(capacity);
  }

  push(value: number): void {
    if (this.length === this.values.length) this.values = grown(this.values, this.length * 2);
    this.values[this.length++] = value;
  }

  /** The values as an array of exactly their number (a copy). */
  toArray(): Int32Array {
    return this.values.slice(0, this.length);
  }
}

/** A list of float64 values in one growing array. */
export class Float64List {
  values: Float64Array;
  length = 0;

  /** @param capacity room at the beginning, at least 1 */
  constructor(capacity = 64) {
    this.values = new Float64Array(capacity);
  }

  push(value: number): void {
    if (this.length === this.values.length) this.values = grown(this.values, this.length * 2);
    this.values[this.length++] = value;
  }

  /** Appends the first `count` of some values. */
  append(values: ArrayLike<number>, count: number): void {
    const end = this.length + count;
    if (end > this.values.length) this.values = grown(this.values, Math.max(end, this.values.length * 2));
    for (let i = 0; i < count; i++) this.values[this.length + i] = values[i]!;
    this.length = end;
  }

  /** The values as an array of exactly their number (a copy). */
  toArray(): Float64Array {
    return this.values.slice(0, this.length);
  }
}
