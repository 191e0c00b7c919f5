/**
 * @file A content hash of an example, to show that no test program was seen in training.
 *
 *     hash = 53 bits of two murmur-like lanes over the word indices; equal words, equal hash
 *
 * Among 10^6 training and 10^3 test programs two different ones share a hash with probability 10^-7.
 */

/** @returns an integer in [0, 2^53), so that it can stand in a Set or a Float64Array. */
export function contentHash(words: ArrayLike<number>): number {
  let one = 0x2545f491;
  let two = 0x4cf5ad43;
  for (let i = 0; i < words.length; i++) {
    one = Math.imul(one ^ words[i], 0x85ebca6b);
    one ^= one >>> 15;
    two = Math.imul(two ^ words[i], 0xc2b2ae35);
    two ^= two >>> 13;
  }
  one = Math.imul(one ^ words.length ^ (two >>> 16), 0x9e3779b1);
  two = Math.imul(two ^ words.length ^ (one >>> 15), 0x27d4eb2f);
  return (two >>> 11) * 0x1_0000_0000 + ((one ^ (two >>> 7)) >>> 0);
}
