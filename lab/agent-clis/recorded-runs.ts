import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentCliKind } from '../../shared/contract/agents/adapter-manifests.ts';
import type { FailureCode } from '../../shared/contract/failure/failure-class.ts';

const FIXTURES = join(import.meta.dirname, '../../test/fixtures/agent-clis');
const INDEX = join(FIXTURES, 'recorded.json');

/** How one real run ended: what the unit tests and docs/reference/adapters.md read. */
export interface RecordedRun {
  readonly kind: AgentCliKind;
  readonly name: string;
  readonly exit_code: number | null;
  readonly class: FailureCode | null;
  /** The class that the cascade goes by, where the gateway knows better than the CLI. */
  readonly counts_as?: string | null;
  /** Calls of models that reached the endpoint. */
  readonly calls: number;
}

export const readRecordedRuns = (): readonly RecordedRun[] =>
  JSON.parse(readFileSync(INDEX, 'utf8')) as RecordedRun[];

/** Lists, paths and times of the machine that no reader looks at. */
const DROPPED = new Set([
  ...[
    'tools',
    'slash_commands',
    'agents',
    'skills',
    'plugins',
    'mcp_servers',
    'capabilities',
    'apiKeySource',
  ],
  ...[
    'messaging_socket_path',
    'memory_paths',
    'analytics_disabled',
    'uuid',
    'timestamp',
    'time',
    'duration_ms',
  ],
  ...['duration_api_ms', 'ttft_ms', 'fast_mode_state', 'startup', 'signature', 'diff', 'stack', 'snapshot'],
]);
const LONGEST = 2_000;
/** Events without content that come by the dozen. */
const NOISE = /"type":"session\.background_tasks_changed"/;

function plain(value: unknown, places: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') {
    const text = Object.entries(places).reduce((all, [path, word]) => all.replaceAll(path, word), value);
    return text.replaceAll(/127\.0\.0\.1:\d+/g, 'models.test').slice(0, LONGEST);
  }
  if (Array.isArray(value)) return value.map((each) => plain(each, places));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !DROPPED.has(name))
      .map(([name, each]) => [name, plain(each, places)]),
  );
}

/** Keeps what a CLI has printed, without what belongs to this machine. */
export function writeRecordedRun(
  of: RecordedRun,
  printed: string,
  places: Readonly<Record<string, string>>,
): void {
  const lines = printed
    .split('\n')
    .filter((line) => line !== '' && !NOISE.test(line))
    .map((line) => {
      try {
        return JSON.stringify(plain(JSON.parse(line), places));
      } catch {
        return String(plain(line, places));
      }
    });
  mkdirSync(join(FIXTURES, of.kind), { recursive: true });
  writeFileSync(join(FIXTURES, of.kind, `${of.name}.jsonl`), `${lines.join('\n')}\n`);
  const isSame = (each: RecordedRun): boolean => each.kind === of.kind && each.name === of.name;
  const others = (() => {
    try {
      return readRecordedRuns().filter((each) => !isSame(each));
    } catch {
      return [];
    }
  })();
  const all = [...others, of].sort((a, b) => `${a.kind} ${a.name}`.localeCompare(`${b.kind} ${b.name}`));
  writeFileSync(INDEX, `[\n${all.map((each) => `  ${JSON.stringify(each)}`).join(',\n')}\n]\n`);
}
