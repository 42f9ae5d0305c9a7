import type { AgentHook, MiddlewareName } from '../../contract/agents/middleware-names.ts';
import type { MiddlewareFinding, MiddlewareRecord } from '../../contract/run-record/middleware-record.ts';
import {
  MAX_MIDDLEWARE_FACTS,
  MAX_MIDDLEWARE_FINDING_LENGTH,
  MAX_MIDDLEWARE_FINDINGS,
} from '../../contract/run-record/record-limits.ts';
import { truncateText } from '../../lib/truncate.ts';

type FactValue = string | number | boolean;
const short = (value: FactValue): FactValue =>
  typeof value === 'string' ? truncateText(value, MAX_MIDDLEWARE_FINDING_LENGTH) : value;

/** Takes down what middleware finds, within bounds: the same thing once, the first ones by name, the others by number. */
export class MiddlewareRecorder {
  readonly #found = new Map<string, MiddlewareFinding>();
  readonly #facts = new Map<string, FactValue>();
  readonly #fired = new Map<AgentHook, number>();
  #more = 0;

  addFinding({ detail, turn, ...of }: MiddlewareFinding): void {
    const note: MiddlewareFinding = {
      ...of,
      detail: truncateText(detail, MAX_MIDDLEWARE_FINDING_LENGTH),
      ...(turn !== undefined && turn >= 1 && { turn }),
    };
    const key = `${note.middleware} ${note.code} ${note.detail}`;
    if (this.#found.has(key)) return;
    if (this.#found.size < MAX_MIDDLEWARE_FINDINGS) this.#found.set(key, note);
    else this.#more++;
  }

  /** The latest value counts. A fact without room is left out. */
  setFact(name: string, value: FactValue): void {
    if (typeof value === 'number' && !Number.isFinite(value)) return;
    if (this.#facts.has(name) || this.#facts.size < MAX_MIDDLEWARE_FACTS) this.#facts.set(name, short(value));
  }

  getFact(name: string): FactValue | undefined {
    return this.#facts.get(name);
  }

  countHook(hook: AgentHook): void {
    this.#fired.set(hook, (this.#fired.get(hook) ?? 0) + 1);
  }

  toRecord(chain: readonly MiddlewareName[]): MiddlewareRecord {
    return {
      chain: [...chain],
      hook_counts: Object.fromEntries(this.#fired),
      findings: [...this.#found.values()],
      ...(this.#more > 0 && { findings_omitted: this.#more }),
      facts: Object.fromEntries(this.#facts),
    };
  }
}
