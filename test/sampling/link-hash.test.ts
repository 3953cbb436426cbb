// The hash of the one-bit variant: its fields are fields, and Theorems 2.1 and 2.2 of the source hold.

import { expect, it } from 'vitest';
import {
  bitCount,
  countWeakMasks,
  fieldPolynomials,
  HashedIdentifiers,
  linkMask,
  multipliers,
  multiplyInField,
  parity,
} from '#weft/sampling/link-hash.js';

const multiplierList = Object.values(multipliers);

const length = (value: bigint): number => value.toString(2).length;

/** The remainder of a division of polynomials over GF(2). */
function remainder(a: bigint, b: bigint): bigint {
  let rest = a;
  while (rest !== 0n && length(rest) >= length(b)) rest ^= b << BigInt(length(rest) - length(b));
  return rest;
}

/** A product of polynomials over GF(2). */
function product(a: bigint, b: bigint): bigint {
  let sum = 0n;
  for (let bit = 0n; a >> bit !== 0n; bit++) if (((a >> bit) & 1n) === 1n) sum ^= b << bit;
  return sum;
}

function commonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : commonDivisor(b, remainder(a, b));
}

const widths = [16, 32] as const;
const fieldOf = (bits: 16 | 32): bigint => (1n << BigInt(bits)) | BigInt(fieldPolynomials[bits]);

it.each(widths)('the polynomial of the field of %i bits is irreducible (Rabin)', (bits) => {
  const field = fieldOf(bits);
  let power = 2n; // x, squared: x^2, x^4, ...
  const powers = [power];
  for (let i = 0; i < bits; i++) powers.push((power = remainder(product(power, power), field)));
  // 2 is the only prime in 16 and 32: x^(2^v) = x, and x^(2^(v/2)) - x has no factor in common with it
  expect(powers[bits]).toBe(2n);
  expect(commonDivisor(field, powers[bits / 2]! ^ 2n)).toBe(1n);
  // what is no field fails: x^v + 1 = (x + 1)^v
  expect(remainder((1n << BigInt(bits)) | 1n, 3n)).toBe(0n);
});

it.each(widths)('multiplies as polynomials of %i bits do', (bits) => {
  for (const [a, b] of [
    [0x12345678, 0xfedcba98],
    [0xffffffff, 0xffffffff],
    [0x80000000, 2],
    [1, 0xb5e4dc75],
    [0, 77],
  ] as const)
    expect(BigInt(multiplyInField(a, b, bits))).toBe(remainder(product(BigInt(a), BigInt(b)), fieldOf(bits)));
});

it.each(widths)('masks of %i bits are those of Algorithm 4; no link has none and no two have the same', (bits) => {
  for (const g of multiplierList) {
    const own = bits === 32 ? g : g & 0xffff;
    for (const [id, link] of [
      [0xdeadbeef, 1],
      [0x00010001, 12_288],
      [7, 0x7fff],
    ] as const) {
      const identifier = bits === 32 ? id : id & 0xffff;
      const scaled = multiplyInField(multiplyInField(identifier, link, bits), own, bits);
      expect(parity(identifier & linkMask(link, g, bits))).toBe(scaled >>> (bits - 1));
    }
    expect((linkMask(0x1234, g, bits) ^ linkMask(0x00ff, g, bits)) >>> 0).toBe(linkMask(0x1234 ^ 0x00ff, g, bits));
    // Gauss: the masks of single bits are independent, so a mask is 0 for link 0 alone. A mask that is not 0 has an
    // odd number of bits in common with exactly half of all identifiers (2.1); so has the XOR of two masks (2.2)
    const rows: number[] = [];
    for (let bit = 0; bit < bits; bit++) {
      let mask = linkMask(2 ** bit, g, bits);
      for (const row of rows) if ((mask ^ row) >>> 0 < mask) mask = (mask ^ row) >>> 0;
      expect(mask).not.toBe(0);
      rows.push(mask);
    }
  }
});

it('with identifiers of 16 bits exactly half of them say 1 for a link, and half agree for two (counted)', () => {
  const [g] = multiplierList;
  for (const [link, other] of [
    [1, 2],
    [77, 12_288],
    [65_535, 3],
  ] as const) {
    let ones = 0;
    let agree = 0;
    for (let id = 0; id < 65_536; id++) {
      const hash = parity(id & linkMask16(link));
      ones += hash;
      if (hash === parity(id & linkMask16(other))) agree++;
    }
    expect([ones, agree]).toEqual([32_768, 32_768]);
  }
  function linkMask16(link: number): number {
    return (known[link] ??= linkMask(link, g!, 16));
  }
});
const known: Record<number, number> = {};

it('16 bits tell all 12,288 links of quartz1 apart; half of a mask of 32 bits would not; 65,536 links are too many', () => {
  const links = Array.from({ length: 12_288 }, (_, i) => i + 1);
  for (const g of multiplierList) {
    expect(countWeakMasks(links, g, 16)).toEqual({ zero: 0, same: 0 });
    expect(countWeakMasks(links, g, 32)).toEqual({ zero: 0, same: 0 });
  }
  const halves = new Set(links.map((link) => linkMask(link, multiplierList[0]!, 32) & 0xffff));
  expect(halves.size).toBeLessThan(links.length - 4000);
  expect(countWeakMasks([5, 65_535, 65_536, 65_536 ^ 5], multiplierList[0]!, 16).zero).toBe(0);
  // 2^16 is x^16 = x^5 + x^3 + x + 1 = 43 in the field
  expect(countWeakMasks([43, 65_536], multiplierList[0]!, 16)).toEqual({ zero: 0, same: 1 });
});

it('hashes an identifier once for all links', () => {
  for (const g of multiplierList) {
    const hashed = new HashedIdentifiers(100_000, g, 32);
    for (let id = 1; id < 2 ** 32; id = id * 5 + 3)
      for (const link of [1, 2, 3, 64, 4095, 99_999])
        expect(parity(hashed.wordOf(id) & link)).toBe(parity(id & linkMask(link, g, 32)));
  }
});

it('counts bits', () => {
  for (const word of [0, 1, -1, 0x80000000, 0x0f0f1234])
    expect(bitCount(word)).toBe([...(word >>> 0).toString(2)].filter((bit) => bit === '1').length);
});
