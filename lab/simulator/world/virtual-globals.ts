import { createRequire, syncBuiltinESMExports } from 'node:module';
import { createRandomStream, type RandomStream } from './random-stream.ts';
import { VirtualClock } from './virtual-clock.ts';

/**
 * Puts virtual time and seeded chance in the place of the real ones, for the whole process: what the control plane and its libraries
 * read is `Date`, timers, `Math.random` and node:crypto, and none of them asks where it comes from. Without a run everything is real.
 */
let clock: VirtualClock | null = null;
let random: RandomStream = createRandomStream('nobody');

/** From here on this is the time, and chance comes from this seed; null: the real ones again. */
export function setVirtualTime(of: VirtualClock | null, seed: string): void {
  clock = of;
  random = createRandomStream('entropy', seed);
}

const RealDate = Date;
class VirtualDate extends RealDate {
  constructor(...parts: readonly unknown[]) {
    // @ts-expect-error: the constructor of Date takes any of its forms.
    super(...(parts.length === 0 && clock ? [clock.now] : parts));
  }
  static override now(): number {
    return clock ? clock.now : RealDate.now();
  }
}

/** A timer's time limit of more than this may still be pending when a run is over. */
const PATIENCE_MS = 600_000;

class VirtualTimer {
  readonly cancel: () => void;
  constructor(cancel: () => void) {
    this.cancel = cancel;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return true;
  }
}

function installTimers(): void {
  const real = { set: globalThis.setTimeout, clear: globalThis.clearTimeout };
  const set = (fire: (...args: unknown[]) => void, milliseconds = 0, ...args: unknown[]): unknown =>
    clock
      ? new VirtualTimer(clock.schedule(milliseconds, () => fire(...args), milliseconds > PATIENCE_MS))
      : real.set(fire, milliseconds, ...args);
  const clear = (timer: unknown): void => {
    if (timer instanceof VirtualTimer) timer.cancel();
    else real.clear(timer as NodeJS.Timeout);
  };
  const timers = { setTimeout: set, clearTimeout: clear };
  Object.assign(globalThis, { Date: VirtualDate, ...timers });
  // Where middy takes them from: a real one would fire in the middle of another run, and keep the process alive after the last.
  Object.assign(createRequire(import.meta.url)('node:timers'), timers);
}

function installChance(): void {
  const realRandom = Math.random;
  Math.random = () => (clock ? random.next() : realRandom());
  const crypto = createRequire(import.meta.url)('node:crypto') as typeof import('node:crypto');
  const real = { bytes: crypto.randomBytes, uuid: crypto.randomUUID };
  const bytes = (size: number): Buffer =>
    clock ? Buffer.from(Uint8Array.from({ length: size }, () => random.int(256))) : real.bytes(size);
  const uuid = (): string => {
    if (!clock) return real.uuid();
    const hex = bytes(16).toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
  };
  Object.assign(crypto, { randomBytes: bytes, randomUUID: uuid });
  const fill = globalThis.crypto.getRandomValues.bind(globalThis.crypto);
  globalThis.crypto.getRandomValues = ((array: Uint8Array) => {
    if (!clock) return fill(array as Uint8Array<ArrayBuffer>);
    new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(bytes(array.byteLength));
    return array;
  }) as typeof globalThis.crypto.getRandomValues;
  syncBuiltinESMExports();
}

let isInstalled = false;
export function installVirtualGlobals(): void {
  if (isInstalled) return;
  isInstalled = true;
  installTimers();
  installChance();
}

/** Kept from before: the loop itself lives in real time. */
const realImmediate = globalThis.setImmediate;
/** Resolves when nothing is left to be done at this instant: all promises that could be settled are. */
export const waitUntilSettled = (): Promise<void> =>
  new Promise((resolve) => {
    realImmediate(resolve);
  });
export { VirtualClock };
