import type { AgentHook, MiddlewareName } from '../../contract/agents/names.ts';
import { FOUND_CHARACTERS, MOST_FACTS, MOST_FOUND } from '../../contract/run-record/middleware-bounds.ts';
import type { Found, MiddlewareRecord } from '../../contract/run-record/middleware-record.ts';
import { firstOf } from '../../lib/cut.ts';

type Fact = string | number | boolean;
const short = (value: Fact): Fact => (typeof value === 'string' ? firstOf(value, FOUND_CHARACTERS) : value);

/** Takes down what middleware finds, within bounds: the same thing once, the first ones by name, the others by number. */
export class Notes {
  readonly #found = new Map<string, Found>();
  readonly #facts = new Map<string, Fact>();
  readonly #fired = new Map<AgentHook, number>();
  #more = 0;

  found({ detail, turn, ...of }: Found): void {
    const note: Found = {
      ...of,
      detail: firstOf(detail, FOUND_CHARACTERS),
      ...(turn !== undefined && turn >= 1 && { turn }),
    };
    const key = `${note.by} ${note.code} ${note.detail}`;
    if (this.#found.has(key)) return;
    if (this.#found.size < MOST_FOUND) this.#found.set(key, note);
    else this.#more++;
  }

  /** The latest value counts. A fact without room is left out. */
  fact(name: string, value: Fact): void {
    if (typeof value === 'number' && !Number.isFinite(value)) return;
    if (this.#facts.has(name) || this.#facts.size < MOST_FACTS) this.#facts.set(name, short(value));
  }

  factOf(name: string): Fact | undefined {
    return this.#facts.get(name);
  }

  fired(hook: AgentHook): void {
    this.#fired.set(hook, (this.#fired.get(hook) ?? 0) + 1);
  }

  record(chain: readonly MiddlewareName[]): MiddlewareRecord {
    return {
      chain: [...chain],
      fired: Object.fromEntries(this.#fired),
      found: [...this.#found.values()],
      ...(this.#more > 0 && { more: this.#more }),
      facts: Object.fromEntries(this.#facts),
    };
  }
}
