import { createAgentRunState } from '../../containers/agent/adapters/run-state.ts';
import { AgentRunMiddleware } from '../../containers/agent/middleware/agent-run-middleware.ts';
import { startToolHookServer } from '../../containers/agent/middleware/hook-server.ts';
import {
  DEFAULT_MIDDLEWARE_CHAIN,
  type MiddlewareName,
  OPT_IN_AGENT_MIDDLEWARE_NAMES,
} from '../../shared/contract/agents/middleware-names.ts';
import { DEFAULT_MIDDLEWARE_SETTINGS } from '../../shared/control/middleware/default-settings.ts';
import { createToolRulesPolicyEngine } from '../../shared/control/middleware/policy-engine.ts';
import type { ResultSection } from './result-page.ts';
import { median } from './statistics.ts';

/** Of a run that is long for one task: each turn calls one tool. */
const TURNS = 100;
const ROUNDS = 9;
const HELD = 200;
/** What a run of tests prints. */
const OUTPUT = 'ok 1 - rounds half to even\n'.repeat(250);

const CHAINS: readonly (readonly [string, readonly MiddlewareName[]])[] = [
  ['none of it acts on calls', ['delegation_chain_hash']],
  ['the usual ten', DEFAULT_MIDDLEWARE_CHAIN],
  [
    'the usual ten, with drift and a policy of ten rules',
    [...DEFAULT_MIDDLEWARE_CHAIN, ...OPT_IN_AGENT_MIDDLEWARE_NAMES],
  ],
];

export type MiddlewareResult = {
  readonly chains: readonly { readonly chain: string; readonly run_ms: number }[];
  readonly held_ms: number;
};

const RULES = Array.from({ length: 10 }, (_, index) => ({
  tool: '*',
  matches: `never${index}\\b`,
  reason: 'r',
}));

function aroundOf(chain: readonly MiddlewareName[]): AgentRunMiddleware {
  const all = chain.length > DEFAULT_MIDDLEWARE_CHAIN.length;
  const settings = {
    ...DEFAULT_MIDDLEWARE_SETTINGS,
    chain: [...chain],
    policy: { ...DEFAULT_MIDDLEWARE_SETTINGS.policy, forbidden_calls: all ? RULES : [] },
  };
  return new AgentRunMiddleware({
    run: { task_id: 'T', attempt: 1, agent: 'claude' },
    task: {
      title: 'T',
      description: 'd',
      criteria: ['Half goes to even'],
      parent: null,
      root_content_sha256: null,
    },
    settings,
    errorActionOverrides: {},
    approvedActions: [],
    policy: createToolRulesPolicyEngine(settings.policy),
  });
}

/** Milliseconds of CPU time that the chain takes of one run. */
async function runOf(chain: readonly MiddlewareName[]): Promise<number> {
  const { user, system } = process.cpuUsage();
  const around = aroundOf(chain);
  const reading = createAgentRunState();
  await around.beforeAgent('Round half to even. '.repeat(200));
  await around.beforeModel('Round half to even.');
  for (let turn = 0; turn < TURNS; turn++) {
    around.observeCall({ kind: 'model', text: 'Now I look at the tests, and then at what rounds.' }, reading);
    around.observeCall(
      { kind: 'call', id: `t${turn}`, tool: 'Bash', input: 'npm test -- --run src/round' },
      reading,
    );
    around.observeCall({ kind: 'result', id: `t${turn}`, output: OUTPUT, isError: false }, reading);
  }
  await around.finishRun(reading, null);
  await around.afterAgent(null);
  const used = process.cpuUsage();
  return (used.user + used.system - user - system) / 1_000;
}

/** Milliseconds from a CLI's question to its answer, over the door of the box. */
async function heldOf(): Promise<number> {
  const around = aroundOf(DEFAULT_MIDDLEWARE_CHAIN);
  const door = await startToolHookServer(around);
  const ask = async (body: object): Promise<number> => {
    const began = performance.now();
    await (await fetch(door.url, { method: 'POST', body: JSON.stringify(body) })).text();
    return performance.now() - began;
  };
  const took: number[] = [];
  for (let call = 0; call < HELD; call++) {
    const of = { tool_use_id: `t${call}`, tool_name: 'Bash', tool_input: { command: 'npm test' } };
    took.push(await ask({ ...of, hook_event_name: 'PreToolUse' }));
    await ask({ ...of, hook_event_name: 'PostToolUse', tool_response: OUTPUT });
  }
  await door.close();
  return median(took);
}

export async function benchMiddleware(say: (line: string) => void): Promise<MiddlewareResult> {
  const chains: { chain: string; run_ms: number }[] = [];
  for (const [name, chain] of CHAINS) {
    say(`middleware: ${name}`);
    await runOf(chain);
    const took: number[] = [];
    for (let round = 0; round < ROUNDS; round++) took.push(await runOf(chain));
    chains.push({ chain: name, run_ms: median(took) });
  }
  return { chains, held_ms: await heldOf() };
}

export const renderMiddlewareSections = ({ chains, held_ms }: MiddlewareResult): ResultSection[] => [
  [
    `What is wrapped around a run: CPU time of ${TURNS} turns with a tool call each, whose output has ${OUTPUT.length.toLocaleString('en')} characters (median of ${ROUNDS})`,
    [
      ['chain', 'a run', 'a turn'],
      ...chains.map(({ chain, run_ms }) => [
        chain,
        `${run_ms.toFixed(1)} ms`,
        `${((run_ms / TURNS) * 1_000).toFixed(0)} µs`,
      ]),
    ],
  ],
  [
    `A call that is held until it is allowed (median of ${HELD}, over loopback)`,
    [
      ['', 'question to answer'],
      ['the usual ten', `${held_ms.toFixed(2)} ms`],
    ],
  ],
];
