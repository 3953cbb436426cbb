// One bit for a link and a packet: the hash of the low-overhead variant of reservoir sampling.
// H(id, d) is the leading bit of id * d * g in GF(2^v), v the bits of an identifier. Multiplication is linear in either
// factor, so H(id, d) is the parity of id AND mask(d), and mask(d) is the XOR of the masks of the bits of d.
// Invariants: for d below 2^v mask(d) is 0 for d = 0 alone, and no two d have the same mask: H is 1 for exactly half of
// all identifiers, and two links agree on exactly half (Theorems 2.1 and 2.2). Beyond that `countWeakMasks` says how
// many links identifiers do not tell apart.
// Source: Taffet's dissertation (docs/SOURCES.md), 2.5.2 and 2.6. The fields' polynomials are not in the text: these
// are irreducible (proved in test/sampling/link-hash.test.ts). With identifiers of 16 bits the source keeps the field
// of 32 and takes the low half of its masks; of 12,288 links 4,096 then share one, so here the field has 16 bits, too,
// and g its low half.

/**
 * Bits of an identifier, and polynomials of the fields without their leading terms: x^16 + x^5 + x^3 + x + 1, and x^32
 * + x^22 + x^2 + x + 1.
 */
export const fieldPolynomials = { 16: 0x002b, 32: 0x0040_0007 } as const;

export type IdentifierBits = keyof typeof fieldPolynomials;

/** Multipliers g of the source, by how a scenario writes them. */
export const multipliers = { B5E4DC75: 0xb5e4dc75, '127BE738': 0x127be738 } as const;

export type MultiplierName = keyof typeof multipliers;

/**
 * a x b in GF(2^bits); of b, and of an a that is larger, what is left of the polynomial.
 * @param a @param b words of 32 bits, their bits the coefficients, bit 0 of x^0
 */
export function multiplyInField(a: number, b: number, bits: IdentifierBits): number {
  const polynomial = fieldPolynomials[bits];
  const leading = 1 << (bits - 1);
  const kept = bits === 32 ? -1 : 0xffff;
  let product = 0;
  let factor = bits === 32 ? a | 0 : reduced(a);
  for (let rest = b >>> 0; rest !== 0; rest >>>= 1) {
    if ((rest & 1) !== 0) product ^= factor;
    factor = ((factor & leading) !== 0 ? (factor << 1) ^ polynomial : factor << 1) & kept;
  }
  return product >>> 0;
}

/** A polynomial of 32 coefficients as an element of GF(2^16). */
function reduced(word: number): number {
  let rest = word >>> 0;
  for (let bit = 31; bit >= 16; bit--)
    if ((rest & (1 << bit)) !== 0) rest ^= (1 << bit) ^ (fieldPolynomials[16] << (bit - 16));
  return rest;
}

/** The mask of a link: bit k is the leading bit of d x g x 2^k. @param link its number d, from 1, below 2^32 */
export function linkMask(link: number, multiplier: number, bits: IdentifierBits): number {
  let product = multiplyInField(link, bits === 32 ? multiplier : multiplier & 0xffff, bits);
  let mask = 0;
  for (let bit = 0; bit < bits; bit++) {
    if (product >>> (bits - 1) !== 0) mask |= 1 << bit;
    product = multiplyInField(product, 2, bits);
  }
  return mask >>> 0;
}

/** 1 if an odd number of bits is set. */
export function parity(word: number): number {
  let x = word ^ (word >>> 16);
  x ^= x >>> 8;
  x ^= x >>> 4;
  return (0x6996 >>> (x & 15)) & 1;
}

/** How many bits are set. */
export function bitCount(word: number): number {
  let x = word - ((word >>> 1) & 0x55555555);
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
  return Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/**
 * From an identifier to the word y with H(id, d) = parity(y AND d): bit j of y is H(id, 2^j). What hashes an identifier
 * once and asks it for many links needs no mask by link.
 */
export class HashedIdentifiers {
  /** by byte of the identifier x 256 + its value */
  private readonly words = new Uint32Array(4 * 256);

  /** @param links the largest link number @param multiplier g @param bits of an identifier */
  constructor(links: number, multiplier: number, bits: IdentifierBits) {
    for (let bit = 0; bit < 31 && 1 << bit <= links; bit++) {
      const mask = linkMask(1 << bit, multiplier, bits);
      for (let byte = 0; byte < 4; byte++)
        for (let value = 0; value < 256; value++)
          if (parity((value << (8 * byte)) & mask) === 1) this.words[byte * 256 + value]! |= 1 << bit;
    }
  }

  /** The word y of an identifier of up to 32 bits. */
  wordOf(id: number): number {
    const { words } = this;
    return (
      words[id & 255]! ^
      words[256 | ((id >>> 8) & 255)]! ^
      words[512 | ((id >>> 16) & 255)]! ^
      words[768 | (id >>> 24)]!
    );
  }
}

/** Links whose masks are 0 in the bits of an identifier, and links that share a mask with an earlier one. */
export interface WeakMasks {
  readonly zero: number;
  readonly same: number;
}

/** @param links their numbers @param multiplier g @param bits of an identifier */
export function countWeakMasks(links: Iterable<number>, multiplier: number, bits: IdentifierBits): WeakMasks {
  const seen = new Set<number>();
  let zero = 0;
  let same = 0;
  for (const link of links) {
    const mask = linkMask(link, multiplier, bits);
    if (mask === 0) zero++;
    else if (seen.has(mask)) same++;
    seen.add(mask);
  }
  return { zero, same };
}
