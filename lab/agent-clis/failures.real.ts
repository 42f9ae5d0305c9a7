import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AGENT_ADAPTERS } from '../../containers/agent/adapters/registry.ts';
import type { AgentCliManifest } from '../../shared/contract/agents/adapter-manifest.ts';
import {
  AGENT_CLI_KINDS,
  AGENT_CLI_MANIFESTS,
  type AgentCliKind,
} from '../../shared/contract/agents/adapter-manifests.ts';
import { classifyAttemptFailure } from '../../shared/control/failures/attempt-failure.ts';
import { meteredUsage, report } from '../../test/support/builders.ts';
import { type ModelServer, startModelServer } from '../../test/support/models/model-server.ts';
import { FAILURE_CASES } from './failure-cases.ts';
import { appendFailureRow } from './failure-table.ts';
import { INSTALLED_CLIS, IS_RECORDING } from './installed-clis.ts';
import { writeRecordedRun } from './recorded-runs.ts';
import { type CliRunResult, runCli } from './run-cli.ts';

/** CLIs that have no tool here that makes a file, or may use their shell for it. */
const WRITING_BY_SHELL: readonly AgentCliKind[] = ['claude', 'codex', 'qwen', 'copilot'];
/** Longest that a run that fails may take, in milliseconds: the CLIs' own retries with their defaults take minutes. */
const BOUND_MS = 90_000;

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.stop());

/** What the cascade goes by: what the gateway has seen outweighs what the CLI makes of it. */
function countsAs({ failure, providerTrouble }: CliRunResult): string | null {
  const seen = providerTrouble && { ...providerTrouble, retry_at: null };
  if (failure === null) return null;
  const of = classifyAttemptFailure({
    report: report({ status: 'failed', failure_code: failure.class }),
    metered_usage: meteredUsage(seen),
    verification_failure: null,
  });
  return of?.code ?? null;
}

function keep(kind: AgentCliKind, name: string, outcome: CliRunResult): void {
  const { failure, exitCode, calls, printed, redactions } = outcome;
  appendFailureRow({
    ...{ kind, name, class: countsAs(outcome), calls: calls.length },
    ...{ ms: outcome.session.result.durationMs, micro_usd: outcome.costMicroUsd },
    estimated_micro_usd: outcome.estimatedMicroUsd,
  });
  if (!IS_RECORDING) return;
  const of = {
    kind,
    name,
    exit_code: exitCode,
    class: failure?.class ?? null,
    counts_as: countsAs(outcome),
    calls: calls.length,
  };
  writeRecordedRun(of, printed, redactions);
}

describe.each(INSTALLED_CLIS)('the real %s', (kind) => {
  it('does the work, and what it says that it used is what the endpoint has counted', async () => {
    const before = server.sumTokens();
    const outcome = await runCli(server, { kind, scenario: 'ok' });
    keep(kind, 'work-done', outcome);
    expect(outcome.failure).toBeNull();
    const { session, calls } = outcome;
    expect(session.runState).toMatchObject({ hasEnded: true, sessionId: expect.stringMatching(/^\S{10,}$/) });
    expect(outcome.leftoverFiles).toEqual(expect.arrayContaining(['hello.txt', 'listing.txt']));
    // What a shell writes, events do not say.
    expect([...(session.runState?.changedFiles ?? [])].join()).toMatch(
      WRITING_BY_SHELL.includes(kind) ? /^(?:.*hello\.txt)?$/ : /hello\.txt/,
    );
    const output = [...(session.runState?.usageByModel.values() ?? [])].reduce(
      (sum, each) => sum + each.output_tokens,
      0,
    );
    const after = server.sumTokens();
    const { unreportedCalls = 0 }: AgentCliManifest = AGENT_CLI_MANIFESTS[kind];
    if (kind !== 'copilot')
      expect(Math.abs(after.output - before.output - output)).toBeLessThanOrEqual(41 * unreportedCalls);
    expect(calls.map(({ status }) => status)).toEqual(calls.map(() => 200));
    // A field that a new version of a CLI adds has to be added to the gateway's schemas.
    expect(outcome.droppedFields).toEqual([]);
    // The key is added on the way: the CLI never has it.
    for (const { headers } of calls) expect(JSON.stringify(headers)).toContain('sk-planted');
    expect(session.result.output).not.toContain('sk-planted');
  });

  it.runIf(AGENT_ADAPTERS[kind].resumeCommand)(
    'counts what it used once when its session is resumed',
    async () => {
      const before = server.sumTokens();
      const { failure, session } = await runCli(server, {
        kind,
        scenario: 'ok',
        nextMessage: 'Say it again.',
      });
      expect(failure).toBeNull();
      expect(server.calls.at(-1)?.raw.toString('utf8')).toContain('Write hello.txt');
      if (kind === 'copilot') return;
      const reported = [...(session.runState?.usageByModel.values() ?? [])];
      const output = reported.reduce((sum, each) => sum + each.output_tokens, 0);
      const { unreportedCalls = 0 }: AgentCliManifest = AGENT_CLI_MANIFESTS[kind];
      const difference = server.sumTokens().output - before.output - output;
      expect(Math.abs(difference)).toBeLessThanOrEqual(45 * unreportedCalls);
    },
  );

  // Copilot CLI names its session at its end only.
  it.runIf(AGENT_ADAPTERS[kind].resumeCommand && kind !== 'copilot')(
    'goes on with its session when it was silent and is told to',
    async () => {
      const { failure, session } = await runCli(server, {
        kind,
        // OpenCode asks for a title first, and tells its session with the first answer.
        scenario: kind === 'opencode' ? 'hangx1@3' : `hangx1,after=${AGENT_CLI_KINDS.indexOf(kind) + 1}`,
        silenceMs: 60_000,
      });
      expect(failure).toBeNull();
      expect(session.runState).toMatchObject({ nudges: 1, hasEnded: true });
      expect(session.runState?.toolCalls).toBeGreaterThan(0);
      // In its second life it has another prompt, and knows of the first.
      expect(server.calls.at(-1)?.raw.toString('utf8')).toContain('You have said nothing for');
      expect(server.calls.at(-1)?.raw.toString('utf8')).toContain('Write hello.txt');
    },
  );

  it.each(FAILURE_CASES.filter(({ expectations }) => expectations[kind] !== undefined))(
    '$name',
    async ({ name, expectations, ...of }) => {
      const [failureClass, mostCalls] = expectations[kind] ?? ['unknown', 0];
      const outcome = await runCli(server, { ...of, kind });
      keep(kind, name, outcome);
      const { failure, session, calls } = outcome;
      expect([countsAs(outcome), failure?.reason]).toEqual([failureClass, expect.stringMatching(/\S/)]);
      expect(calls.length).toBeLessThanOrEqual(mostCalls);
      expect(session.result.durationMs).toBeLessThan(BOUND_MS);
    },
  );
});
