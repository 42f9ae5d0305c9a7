import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { vi } from 'vitest';
import type { AgentFailure } from '../../containers/agent/adapters/run-state.ts';
import { type AgentSession, runAgentSession } from '../../containers/agent/agent-session.ts';
import { loadRole } from '../../containers/agent/load-role.ts';
import { resumeAgentSession } from '../../containers/agent/resume.ts';
import { determineAgentFailure } from '../../containers/agent/session-failure.ts';
import { prepareWorkspace } from '../../containers/agent/workspace-layout.ts';
import { hasTurnLimit } from '../../shared/contract/agents/adapter.ts';
import { AGENT_CLI_MANIFESTS, type AgentCliKind } from '../../shared/contract/agents/adapter-manifests.ts';
import { DEFAULT_TIER_MODELS } from '../../shared/contract/agents/tiers.ts';
import type { AgentAssignment } from '../../shared/contract/messages/assignment.ts';
import type { UsageMeter } from '../../shared/control/model-gateway/usage-meter.ts';
import { agentAssignment, inBox } from '../../test/containers/box.ts';
import { startFakeApi } from '../../test/containers/fake-api.ts';
import { running, startGateway, TOKEN } from '../../test/functions/models/gateway.ts';
import { createTemporaryFolder, createTestRepository } from '../../test/support/git-repository.ts';
import type { ModelCall, ModelServer } from '../../test/support/models/model-server.ts';
import { fetchCommit } from '../../workspace/git/fetch-commits.ts';
import { CLI_BIN_FOLDER } from './installed-clis.ts';

export const MODEL_BY_CLI: Readonly<Record<AgentCliKind, string>> = {
  claude: DEFAULT_TIER_MODELS.haiku,
  codex: 'gpt-5.6-luna',
  gemini: AGENT_CLI_MANIFESTS.gemini.tiers.models.haiku,
  opencode: 'gpt-5.6-luna',
  qwen: 'gpt-5.6-luna',
  copilot: 'gpt-5.6-luna',
};

export interface CliRunOptions {
  readonly kind: AgentCliKind;
  /** What the endpoint plays; `gone`: nobody listens where the gateway should be. */
  readonly scenario: string;
  /** Absent: the model of `MODEL_BY_CLI`. */
  readonly model?: string;
  readonly maxTurns?: number;
  readonly timeoutS?: number;
  readonly waitingMs?: number;
  readonly silenceMs?: number;
  /** What the agent is told after it has ended, in its session. */
  readonly nextMessage?: string;
  readonly limitUsd?: number;
  /** Milliseconds until the gateway gives a call up. */
  readonly deadlineMs?: number;
  /** What stands before the program. */
  readonly commandPrefix?: string;
}

export interface CliRunResult {
  readonly session: AgentSession;
  /** What the CLI makes of it. */
  readonly failure: AgentFailure | null;
  /** What the gateway has seen of the provider. */
  readonly providerTrouble: UsageMeter['providerFailure'];
  /** Standard output, as it came. */
  readonly printed: string;
  /** Calls that reached the endpoint. */
  readonly calls: readonly ModelCall[];
  /** Fields of its requests that the gateway does not know and has not sent. */
  readonly droppedFields: readonly string[];
  /** Names of what lies in the checkout afterwards. */
  readonly leftoverFiles: readonly string[];
  /** Dollars that the gateway has counted, in millionths. */
  readonly costMicroUsd: number;
  /** Of these: what was estimated. */
  readonly estimatedMicroUsd: number;
  readonly exitCode: number | null;
  /** Text that must be in no fixture, and what stands for it. */
  readonly redactions: Readonly<Record<string, string>>;
}

const repository = createTestRepository({ 'a.txt': 'a\n' });
const base = repository.git('rev-parse', 'HEAD');
const envOf = (kind: AgentCliKind): string => AGENT_CLI_MANIFESTS[kind].vendor;

/** Runs one real CLI as the agent box does, through the gateway, against the scripted endpoint. */
export async function runCli(server: ModelServer, of: CliRunOptions): Promise<CliRunResult> {
  const { kind, scenario, model = MODEL_BY_CLI[kind] } = of;
  const tmp = createTemporaryFolder();
  const out = join(tmp, 'stdout');
  // What traces would wait for `tee`, which waits for it.
  const started =
    of.commandPrefix === undefined
      ? `'${join(CLI_BIN_FOLDER, kind)}' "$@" > >(tee '${out}')`
      : `${of.commandPrefix} '${join(CLI_BIN_FOLDER, kind)}' "$@"`;
  writeFileSync(join(tmp, kind), `#!/usr/bin/env bash\nexec ${started}\n`);
  chmodSync(join(tmp, kind), 0o755);
  vi.stubEnv('PATH', `${tmp}${delimiter}${process.env['PATH'] ?? ''}`);
  vi.stubEnv('PLANTED_KEY', 'sk-planted');
  const before = server.calls.length;
  const url = scenario === 'gone' ? server.url : server.urlForScenario(scenario);
  const gateway = await startGateway(
    {
      [envOf(kind)]: {
        via: 'environment',
        variable: 'PLANTED_KEY',
        url: envOf(kind) === 'openai' ? `${url}/v1` : url,
      },
    },
    {
      task: running(
        { model, tier: null },
        of.limitUsd === undefined ? {} : { budget: { max_attempts: 5, max_cost_usd: of.limitUsd } },
      ),
      deadlineMs: of.deadlineMs ?? 60_000,
    },
  );
  const api = await startFakeApi();
  try {
    if (scenario === 'gone') await gateway.stop();
    return await inBox(async (box) => {
      const assignment: AgentAssignment = agentAssignment(api, repository.url, [], {
        base_commit: base,
        model,
        prompt: { TASK_TITLE: 'Greet', TASK_DESCRIPTION: 'Write hello.txt, then list the folder.' },
        adapter: hasTurnLimit({ kind, timeout_s: 1 })
          ? { kind, timeout_s: of.timeoutS ?? 100, ...(of.maxTurns && { max_turns: of.maxTurns }) }
          : { kind, timeout_s: of.timeoutS ?? 100 },
        model_access: {
          token: TOKEN,
          base_urls: { anthropic: gateway.url, openai: `${gateway.url}/v1`, gemini: gateway.url },
          models: [model],
          metered: true,
        },
      });
      const { store } = await fetchCommit(join(box.workDir, 'store.git'), {
        url: repository.url,
        ref: base,
        authorization: null,
        allowFile: true,
      });
      const prepared = await prepareWorkspace(
        assignment,
        box,
        await loadRole(assignment.role, store, base),
        store,
        base,
      );
      const options = {
        abort: new AbortController().signal,
        ...(of.waitingMs === undefined ? {} : { waitingMs: of.waitingMs }),
        ...(of.silenceMs === undefined ? {} : { silenceMs: of.silenceMs }),
      };
      const first = await runAgentSession(assignment, box, prepared, options);
      const session =
        of.nextMessage === undefined
          ? first
          : await resumeAgentSession(of.nextMessage, first, assignment, box, prepared, options);
      return {
        session,
        failure: determineAgentFailure(session, kind),
        printed: of.commandPrefix === undefined ? readFileSync(out, 'utf8') : '',
        calls: server.calls.slice(before),
        droppedFields: [...new Set(gateway.calls.flatMap(({ dropped_fields }) => dropped_fields))],
        leftoverFiles: readdirSync(prepared.layout.checkout),
        costMicroUsd: gateway.meter.meter().settled,
        estimatedMicroUsd: gateway.meter.meter().estimated,
        providerTrouble: gateway.meter.meter().providerFailure,
        exitCode: session.result.exitCode,
        redactions: { [box.workDir]: '/box', [tmp]: '/bin', [gateway.url]: 'http://models.test' },
      };
    });
  } finally {
    await api.stop();
    if (scenario !== 'gone') await gateway.stop();
  }
}
