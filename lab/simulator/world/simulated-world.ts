import type { CallFault, ScheduledFault, ServiceOutage, SimulatedService } from './call-faults.ts';
import { drawFraction } from './random-stream.ts';
import {
  getCurrentProcess,
  ProcessKilledError,
  runAsProcess,
  type SimulatedProcess,
} from './simulated-process.ts';
import { VirtualClock } from './virtual-clock.ts';

/** Start of every run. Prices and partitions know this day. */
const START = Date.UTC(2026, 10, 20, 10);

/** The connection broke, or the service said no: what a caller sees of a fault. */
export class ServiceCallError extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

export interface WorldConditions {
  readonly seed: string;
  readonly faults: readonly ScheduledFault[];
  readonly outages: readonly ServiceOutage[];
  /** Milliseconds that an outside call takes, up to; each draws its own, so that calls overtake one another. */
  readonly latency: number;
  /** Milliseconds that an index may be behind its table. */
  readonly indexLag: number;
  /** Share of the batches of a stream that come a second time. */
  readonly redelivery: number;
  /** Shares of the executions that are acknowledged and never run, that run twice, and that die on the way. */
  readonly lostStarts: number;
  readonly doubleStarts: number;
  readonly diedStarts: number;
}

/** A broken promise of the control plane. */
export class InvariantViolation extends Error {
  readonly invariant: string;
  constructor(invariant: string, message: string) {
    super(message);
    this.name = 'Violation';
    this.invariant = invariant;
  }
}

/** Time, weather and the story of one run. */
export class SimulatedWorld {
  readonly clock = new VirtualClock(START);
  readonly conditions: WorldConditions;
  readonly violations: InvariantViolation[] = [];
  readonly story: string[] | null;
  /** Outside calls so far. */
  calls = 0;
  readonly faultCounts: { [fault in CallFault]?: number } = {};
  readonly #faults: Map<number, CallFault>;
  /** No fault happens any more, and indexes are up to date soon. */
  hasNoMoreFaults = false;

  constructor(weather: WorldConditions, tells: boolean) {
    this.conditions = weather;
    this.#faults = new Map(weather.faults.map(({ call, fault }) => [call, fault]));
    this.story = tells ? [] : null;
  }

  /** Seconds since the start of the run. */
  get seconds(): number {
    return (this.clock.now - START) / 1_000;
  }

  logEvent(line: () => string): void {
    this.story?.push(`${this.seconds.toFixed(1).padStart(8)} s  ${line()}`);
  }

  reportViolation(invariant: string, message: string): void {
    this.logEvent(() => `BROKEN: ${invariant}: ${message}`);
    this.violations.push(new InvariantViolation(invariant, message));
  }

  isDown(service: SimulatedService): boolean {
    if (this.hasNoMoreFaults) return false;
    const now = this.seconds;
    return this.conditions.outages.some(
      (each) => each.service === service && now >= each.from && now < each.from + each.seconds,
    );
  }

  #nextFault(): CallFault | undefined {
    const fault = this.#faults.get(this.calls++);
    return this.hasNoMoreFaults ? undefined : fault;
  }

  /**
   * One call out of a process: after a while `perform` takes effect, and after another while the caller has the answer. `refusal` is
   * the error that this service refuses with.
   */
  callService<T>(
    service: SimulatedService,
    what: () => string,
    perform: () => T | Promise<T>,
    refusal: () => Error = () => new ServiceCallError('TimeoutError', `${service} did not answer`),
  ): Promise<T> {
    const process = getCurrentProcess();
    const by = process?.name ?? 'world';
    const call = this.calls;
    const fault = this.#nextFault();
    if (process) process.calls++;
    const tell = (word: string): void => this.logEvent(() => `  ${word}: ${what()} (by ${by}, call ${call})`);
    const draw = drawFraction(`${this.conditions.seed}/${by}/${process?.calls ?? call}`);
    const latency = 1 + draw * this.conditions.latency;
    const isGone = (): boolean => process !== null && !process.isAlive;
    return new Promise((resolve, reject) => {
      if (isGone()) return;
      if (fault !== undefined) this.faultCounts[fault] = (this.faultCounts[fault] ?? 0) + 1;
      const answer = (deliver: () => void): void => {
        if (fault === 'dies_after' && process) {
          tell('done, and its caller dies');
          process.kill(`died after ${what()}`);
          return;
        }
        if (fault === 'answer_lost') {
          tell('done, and the answer is lost');
          this.clock.schedule(latency, () => reject(refusal()));
          return;
        }
        this.clock.schedule(latency, () => {
          if (!isGone()) deliver();
        });
      };
      const take = (isAgain: boolean): void => {
        if (isGone()) return;
        if (fault === 'dies_before' && process) {
          tell('not done, its caller dies');
          process.kill(`died before ${what()}`);
          return;
        }
        if (fault === 'refused' || this.isDown(service)) {
          tell('refused');
          reject(refusal());
          return;
        }
        let result: T | Promise<T>;
        try {
          result = perform();
        } catch (error) {
          if (!isAgain) answer(() => reject(error));
          return;
        }
        if (isAgain) {
          if (result instanceof Promise) result.catch(() => {});
          return;
        }
        if (result instanceof Promise)
          result.then(
            (value) => answer(() => resolve(value)),
            (error: unknown) => answer(() => reject(error)),
          );
        else {
          const value = result;
          answer(() => resolve(value));
        }
      };
      const delay = fault === 'late' ? 2_000 + draw * 60_000 : latency;
      if (fault === 'late') tell('late');
      this.clock.schedule(delay, () => take(false));
      if (fault === 'twice' && (service === 'http' || service === 'lambda')) {
        tell('arrives twice');
        this.clock.schedule(delay + draw * 5_000, () => take(true));
      }
    });
  }

  /** Runs `body` as `process`, for at most `seconds`. */
  runProcess<T>(process: SimulatedProcess, seconds: number, body: () => Promise<T>): Promise<T> {
    const done = this.clock.schedule(
      seconds * 1_000,
      () => process.kill(`ran out of its ${seconds} s`),
      seconds > 3_600,
    );
    return runAsProcess(process, body).finally(done);
  }
}

export const isProcessKilledError = (error: unknown): boolean => error instanceof ProcessKilledError;
