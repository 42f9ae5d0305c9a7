import { AGENT_CLI_KINDS, AGENT_CLI_MANIFESTS } from '../../shared/contract/agents/adapter-manifests.ts';
import { MODEL_PROVIDER_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { startDemoAgent } from '../demo/demo-agent.ts';
import { findUnexpectedOutcomes, toDemoJson } from '../demo/demo-result.ts';
import { renderDemo } from '../demo/render-demo.ts';
import { OPTIONAL_DEMO_PARTS, runDemo } from '../demo/run-demo.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';
import { defineOption } from '../parameters.ts';
import { defineServerCommand } from '../server-command.ts';

const DEMO_JSON_EXAMPLE = `{
  "agent": null,
  "tasks": [
    {
      "id": "b-discount",
      "title": "Give regular customers a discount",
      "status": "done",
      "attempts": [
        {"model": "claude-haiku-4-5", "tier": "haiku", "outcome": "failed", "cost_usd": 0.06342, "judging_cost_usd": 0},
        {"model": "claude-sonnet-5-5", "tier": "sonnet", "outcome": "passed", "cost_usd": 0.16494, "judging_cost_usd": 0}
      ],
      "verdict": "pass",
      "verified": true,
      "branch": "assay/b-discount",
      "cost_usd": 0.22836,
      "judging_cost_usd": 0,
      "saved_vs_direct_opus_usd": 0.10152
    }
  ],
  "verification_nudge": {"total_completions": 6, "verified_count": 5, "unverified_count": 1, "unverified_ratio": 0.16667, "threshold_exceeded": false, "nudge_threshold": 0.3, "min_completions": 3, "recent_unverified": ["d-notes"]},
  "records_dir": "/path",
  "elapsed_ms": 12345,
  "repository": "/path",
  "folder": "/path",
  "as_expected": true,
  "unexpected": []
}`;

export const demoCommand = defineServerCommand({
  name: 'demo',
  options: {
    agent: defineOption(
      '--agent <kind>',
      'a real agent CLI does the tasks: with real models if the key of its provider is in the environment, else with scripted ones',
      { choices: AGENT_CLI_KINDS },
    ),
    extra: defineOption(
      '--with <extra>',
      'stage: one more task, graded by a rubric, with an approval request and a review, all scripted',
      { choices: OPTIONAL_DEMO_PARTS },
    ),
  },
  json: {
    text: '`--json` prints one document at the end; progress is on standard error. `unexpected` names each difference from the expected end of the demo, and then the exit code is 1. `agent` is null for scripted agents, else `{"kind": "claude", "models": "real"}` or `"scripted"`; the outcome of real models is not compared.',
    example: DEMO_JSON_EXAMPLE,
  },
  examples: [
    ['demo', 'watch it live, then read the table'],
    ['demo --agent claude', 'the real Claude Code; without ANTHROPIC_API_KEY its models are scripted'],
    ['demo --with stage', 'verification as a stage, too: docs/how-to/workflows.md'],
    ["demo --json | jq '.tasks[] | [.id, .status, .verified]'", 'the same facts for a script'],
  ],
  run: async (session, { agent: kind, extra = null }) => {
    if (kind !== undefined && extra !== null)
      throw new CliError(CLI_EXIT_CODES.usage, 'bad_option', `--with ${extra} is scripted: remove --agent.`);
    const agent = kind === undefined ? null : await startDemoAgent(kind, session.io.env);
    if (agent)
      session.note(
        agent.models === 'real'
          ? `${agent.kind} does the tasks with the real models of its provider, which cost money.`
          : `${agent.kind} does the tasks with scripted models on this machine: ${MODEL_PROVIDER_ENV_NAMES[AGENT_CLI_MANIFESTS[agent.kind].vendor].key} is not set.`,
      );
    const { tasks, result } = await runDemo(session, agent, extra).finally(() => agent?.stop());
    const unexpected = findUnexpectedOutcomes(tasks, result);
    session.show(
      toDemoJson(result, unexpected),
      () => `\n${renderDemo(result, unexpected, session.io.stdout.columns, session.out)}`,
    );
    return unexpected.length === 0 ? CLI_EXIT_CODES.ok : CLI_EXIT_CODES.failed;
  },
});
