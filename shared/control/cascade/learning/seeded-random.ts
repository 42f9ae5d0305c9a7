import { createHash } from 'node:crypto';

/** Numbers that look random and are the same for the same seed, on every machine. */
export interface SeededRandom {
  /** From 0 to below 1. */
  readonly uniform: () => number;
}

/** A generator (mulberry32) that begins where the text says: what is repeated for a task comes out as it did. */
export function createSeededRandom(seed: string): SeededRandom {
  let state = createHash('sha256').update(seed).digest().readUInt32LE(0);
  return {
    uniform: () => {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    },
  };
}

/** Of the standard normal distribution (Box and Muller). */
export const sampleNormal = ({ uniform }: SeededRandom): number =>
  Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());

/** Of the gamma distribution, for a shape of 1 and more (Marsaglia and Tsang). */
function sampleGamma(random: SeededRandom, shape: number): number {
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = sampleNormal(random);
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - random.uniform()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
  }
}

/** Of the beta distribution, for parameters of 1 and more. */
export function sampleBeta(random: SeededRandom, a: number, b: number): number {
  const x = sampleGamma(random, a);
  return x / (x + sampleGamma(random, b));
}
