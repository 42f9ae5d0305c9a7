import { beforeEach, describe, expect, test } from 'vitest';
import type { Gate, GateResult } from '../../../gates/core/gate.ts';
import { type FileContents, type FileEdits, runGate } from '../../support/patch-fixture.ts';
import {
  JS_TOOLS_SETUP,
  listMissingPrograms,
  OWN_TOOLS_SETUP,
  warmToolchains,
} from '../../support/test-tools.ts';

export interface RealCase {
  readonly what: string;
  readonly gate: Gate;
  /** The program that must be here; `js:` and `own:` as `here` has them, with the set-up that brings them. */
  readonly needs: string;
  readonly base: FileContents;
  readonly edits: FileEdits;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly outcome: GateResult['outcome'];
  /** `file:line rule`, with `(before)` for what was there before. Absent: they do not matter. */
  readonly findings?: readonly string[];
  readonly detail?: RegExp;
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** How a checkout gets tools of JavaScript, by what stands before their names. */
const SETUPS: Readonly<Record<string, string>> = { js: JS_TOOLS_SETUP, own: OWN_TOOLS_SETUP };

const shown = (result: GateResult): string[] =>
  result.findings.map(
    ({ file, line, rule, message }) =>
      `${file}:${line} ${rule}${message.endsWith('(was there before the patch)') ? ' (before)' : ''}`,
  );

/** Runs gates with the real tools; what is not here is skipped, and said aloud. */
export function realTools(title: string, cases: readonly RealCase[]): void {
  describe(title, () => {
    const missing = listMissingPrograms(cases);
    beforeEach(warmToolchains);

    for (const { what, gate, needs, base, edits, settings: more = {}, outcome, ...expected } of cases)
      test.skipIf(missing.includes(needs))(what, async () => {
        const setup = SETUPS[needs.slice(0, needs.indexOf(':'))];
        const result = await runGate(gate, base, edits, {
          settings: more,
          ...(setup ? { setup: [setup] } : {}),
        });
        if (expected.findings) expect(shown(result), result.detail).toEqual(expected.findings);
        expect(result.outcome, result.detail).toBe(outcome);
        if (expected.detail) expect(result.detail).toMatch(expected.detail);
        expect(result.facts).toMatchObject({ ...expected.facts });
        if (result.kind === 'executed') expect(result.facts?.['tool_version']).toMatch(/^\d+\.\d+/);
      });
  });
}
