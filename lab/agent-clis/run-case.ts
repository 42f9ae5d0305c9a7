import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { vi } from 'vitest';
import type { Failure } from '../../containers/agent/adapters/reading.ts';
import { failureOf } from '../../containers/agent/failure.ts';
import { prepare } from '../../containers/agent/places.ts';
import { loadRole } from '../../containers/agent/role.ts';
import { runSession, type Session } from '../../containers/agent/session.ts';
import type { CliKind } from '../../shared/contract/agents/adapter.ts';
import { ADAPTER_FACTS } from '../../shared/contract/agents/adapter-facts.ts';
import { DEFAULT_TIER_MODELS } from '../../shared/contract/agents/tiers.ts';
import type { AgentAssignment } from '../../shared/contract/messages/assignment.ts';
import type { Meter } from '../../shared/control/model-gateway/meter.ts';
import { agentAssignment, inBox } from '../../test/containers/box.ts';
import { startFakeApi } from '../../test/containers/fake-api.ts';
import { running, startGateway, TOKEN } from '../../test/functions/models/gateway.ts';
import type { Call, ModelServer } from '../../test/support/models/server.ts';
import { makeRepository, temporaryFolder } from '../../test/support/repository.ts';
import { fetchCommit } from '../../workspace/git/fetch.ts';
import { BIN } from './place.ts';

export const MODELS: Readonly<Record<CliKind, string>> = {
  claude: DEFAULT_TIER_MODELS.haiku,
  codex: 'gpt-5.6-luna',
  gemini: ADAPTER_FACTS.gemini.tiers.models.haiku,
  opencode: 'gpt-5.6-luna',
};

export interface Case {
  readonly kind: CliKind;
  /** What the endpoint plays; `gone`: nobody listens where the gateway should be. */
  readonly scenario: string;
  readonly maxTurns?: number;
  readonly timeoutS?: number;
  readonly waitingMs?: number;
  readonly silenceMs?: number;
  readonly limitUsd?: number;
  /** Milliseconds until the gateway gives a call up. */
  readonly deadlineMs?: number;
  /** What stands before the program. */
  readonly under?: string;
}

export interface Outcome {
  readonly session: Session;
  /** What the CLI makes of it. */
  readonly failure: Failure | null;
  /** What the gateway has seen of the provider. */
  readonly trouble: Meter['trouble'];
  /** Standard output, as it came. */
  readonly printed: string;
  /** Calls that reached the endpoint. */
  readonly calls: readonly Call[];
  /** Names of what lies in the checkout afterwards. */
  readonly left: readonly string[];
  /** Dollars that the gateway has counted, in millionths. */
  readonly micro: number;
  readonly exitCode: number | null;
  /** Text that must be in no fixture, and what stands for it. */
  readonly places: Readonly<Record<string, string>>;
}

const repository = makeRepository({ 'a.txt': 'a\n' });
const base = repository.git('rev-parse', 'HEAD');
const envOf = (kind: CliKind): string => ADAPTER_FACTS[kind].vendor;

/** Runs one real CLI as the agent box does, through the gateway, against the scripted endpoint. */
export async function runCase(server: ModelServer, of: Case): Promise<Outcome> {
  const { kind, scenario } = of;
  const tmp = temporaryFolder();
  const out = join(tmp, 'stdout');
  // What traces would wait for `tee`, which waits for it.
  const started =
    of.under === undefined
      ? `'${join(BIN, kind)}' "$@" > >(tee '${out}')`
      : `${of.under} '${join(BIN, kind)}' "$@"`;
  writeFileSync(join(tmp, kind), `#!/usr/bin/env bash\nexec ${started}\n`);
  chmodSync(join(tmp, kind), 0o755);
  vi.stubEnv('PATH', `${tmp}${delimiter}${process.env['PATH'] ?? ''}`);
  vi.stubEnv('PLANTED_KEY', 'sk-planted');
  const before = server.calls.length;
  const url = scenario === 'gone' ? server.url : server.at(scenario);
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
        { model: MODELS[kind], tier: null },
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
        model: MODELS[kind],
        prompt: { TASK_TITLE: 'Greet', TASK_DESCRIPTION: 'Write hello.txt, then list the folder.' },
        adapter:
          kind === 'claude' || kind === 'gemini'
            ? { kind, timeout_s: of.timeoutS ?? 100, ...(of.maxTurns && { max_turns: of.maxTurns }) }
            : { kind, timeout_s: of.timeoutS ?? 100 },
        models: {
          token: TOKEN,
          base_urls: { anthropic: gateway.url, openai: `${gateway.url}/v1`, gemini: gateway.url },
          models: [MODELS[kind]],
          witnessed: true,
        },
      });
      const { store } = await fetchCommit(join(box.workDir, 'store.git'), {
        url: repository.url,
        ref: base,
        authorization: null,
        allowFile: true,
      });
      const prepared = await prepare(
        assignment,
        box,
        await loadRole(assignment.role, store, base),
        store,
        base,
      );
      const session = await runSession(assignment, box, prepared, {
        abort: new AbortController().signal,
        ...(of.waitingMs === undefined ? {} : { waitingMs: of.waitingMs }),
        ...(of.silenceMs === undefined ? {} : { silenceMs: of.silenceMs }),
      });
      return {
        session,
        failure: failureOf(session, kind),
        printed: of.under === undefined ? readFileSync(out, 'utf8') : '',
        calls: server.calls.slice(before),
        left: readdirSync(prepared.places.checkout),
        micro: gateway.meter.meter().spent,
        trouble: gateway.meter.meter().trouble,
        exitCode: session.result.exitCode,
        places: { [box.workDir]: '/box', [tmp]: '/bin', [gateway.url]: 'http://models.test' },
      };
    });
  } finally {
    await api.stop();
    if (scenario !== 'gone') await gateway.stop();
  }
}
