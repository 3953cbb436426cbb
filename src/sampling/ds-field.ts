// What a sampled packet carries in the DS and ECN fields of IP: one byte (Fig. 2.11 of the source).
//
//     bit 7        enabled: the packet carries a sample
//     bits 6 to 3  hop count, 1 to 15
//     bit 2        hash of the link in the reservoir
//     bits 1, 0    3 congested, 1 not: the codepoints of ECN, which here are taken back if a later link replaces the
// one                  in the reservoir
//
// Invariant: a byte without bit 7 carries nothing, whatever else stands in it.
// Source: Taffet's dissertation (docs/SOURCES.md), 2.6 and Figures 2.11 to 2.13.

/** What stands in the byte of a packet that carries a sample. */
export interface SampleField {
  /** links behind the packet, 1 to 15; 15 also stands for more */
  readonly hopCount: number;
  readonly hash: 0 | 1;
  readonly isCongested: boolean;
}

/** The byte. @param field a hop count above 15 is written as 15 */
export function sampleByte({ hopCount, hash, isCongested }: SampleField): number {
  return 0x80 | (Math.min(hopCount, 15) << 3) | (hash << 2) | (isCongested ? 3 : 1);
}

/** What a byte says; null if its packet carries no sample. */
export function readSampleByte(byte: number): SampleField | null {
  if ((byte & 0x80) === 0) return null;
  return { hopCount: (byte >> 3) & 15, hash: ((byte >> 2) & 1) as 0 | 1, isCongested: (byte & 3) === 3 };
}
