import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import type { EnvironmentCommand, EnvironmentSetting } from '../../gates/environment/environment-setting.ts';
import { findGate } from '../../gates/gates/gate-registry.ts';
import { type ParsedAssayConfig, parseAssayConfig } from '../../gates/pipeline/configuration/parse-config.ts';
import { detectWebApp } from './detect-web-app.ts';
import {
  countTests,
  type GateTrialResult,
  type GateTrialRun,
  isGateTrialUsable,
  tryCandidateGates,
  tryConfiguredGates,
} from './try-candidates.ts';

const run = promisify(execFile);

/** Gates that need no tool; enabled where there are tests. */
const TEST_GATES = {
  test_integrity: 'weakened, skipped or removed tests',
  red_first: 'new tests that pass on the base commit, too',
  suppressions: 'comments that silence a check',
} as const;

/** One line of a proposal. */
export interface ProposedConfigSetting {
  /** YAML under `quality_gates`. */
  readonly setting: string;
  /** False: it is written as a comment. */
  readonly enabled: boolean;
  readonly why: string;
}

/** What came of a gate of an existing configuration. */
export interface ValidatedGate {
  readonly gate: string;
  readonly usable: boolean;
  readonly detail: string;
  readonly duration_ms: number;
}

export interface ConfigProposal {
  /** The text of assay.yaml. */
  readonly text: string;
  readonly environment: { readonly setup: EnvironmentSetting['setup']; readonly problem: string | null };
  readonly settings: readonly ProposedConfigSetting[];
  /** What a first `assay check` will do, in sentences. */
  readonly outlook: readonly string[];
}

/** Returns the default branch of the remote, else the branch that is checked out. */
async function defaultBranch(dir: string): Promise<string> {
  const git = async (...args: string[]): Promise<string | null> => {
    const answer = await run('git', ['-C', dir, ...args]).catch(() => null);
    return answer?.stdout.trim() || null;
  };
  const remote = await git('symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD');
  return remote?.replace(/^origin\//, '') ?? (await git('branch', '--show-current')) ?? 'main';
}

/** Text of a repository or its tools, cut to one line of plain characters, so that it stays a comment. */
const oneLine = (text: string, length = 200): string =>
  text
    .replace(/[^\P{C} ]+|\s+/gu, ' ')
    .trim()
    .slice(0, length);

const seconds = (ms: number): string =>
  ms < 10_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 1_000)} s`;

/** Says what a run showed, in a few words. */
function describeRun({ result, durationMs }: GateTrialResult): string {
  const { run: tests, failed } = countTests(result);
  const took = seconds(durationMs);
  if (tests < 0) return `passed in ${took}`;
  return failed === 0
    ? `${tests} tests passed in ${took}`
    : `${tests} tests ran in ${took}; ${failed} fail on the base and are compared one by one`;
}

/** Says why a candidate is of no use, and what to do about it. */
function describeProblem({ result, candidate }: GateTrialResult): string {
  const remedy =
    candidate.gate === 'tests'
      ? 'set test_command to the line that runs the tests, and environment.setup to what it needs'
      : `make it pass on the base commit, then set ${candidate.gate}: true`;
  return `${result.outcome}: ${oneLine(result.detail)}; ${remedy}`;
}

function settingLines(settings: Readonly<Record<string, string | boolean>>): string {
  return Object.entries(settings)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? JSON.stringify(value) : value}`)
    .join('\n');
}

function gateSettings({ tried }: GateTrialRun): ProposedConfigSetting[] {
  return (['tests', 'type_check', 'lint'] as const).flatMap((gate): ProposedConfigSetting[] => {
    const own = tried.filter(({ candidate }) => candidate.gate === gate);
    const usable = own.find(isGateTrialUsable);
    if (usable)
      return [{ setting: settingLines(usable.candidate.settings), enabled: true, why: describeRun(usable) }];
    const comments = own.slice(0, 2).map((each) => ({
      setting: settingLines(each.candidate.settings),
      enabled: false,
      why: describeProblem(each),
    }));
    // A gate that is on by default would hold every patch.
    const holdsPatches = findGate(gate)?.enabledByDefault === true && own.length > 0;
    return holdsPatches
      ? [
          ...comments,
          { setting: `${gate}: false`, enabled: true, why: 'on by default, and of no use here yet' },
        ]
      : comments;
  });
}

/** Time limit of a run in seconds: several times what it took here, because other machines are slower. */
const timeLimitS = (tried: readonly GateTrialResult[]): number =>
  Math.min(
    7_200,
    Math.max(
      60,
      ...tried.filter(isGateTrialUsable).map(({ durationMs }) => Math.ceil((4 * durationMs) / 60_000) * 60),
    ),
  );

/**
 * Proposes a configuration for a repository: it prepares a bare checkout of the last commit, runs there what may work, and enables what
 * passed. Everything else is a comment with the reason. Writes nothing to the repository.
 */
export async function proposeConfig(
  dir: string,
  onProgress: (text: string) => void,
): Promise<ConfigProposal> {
  const [trial, base] = await Promise.all([tryCandidateGates(dir, onProgress), defaultBranch(dir)]);
  const { environment, tried } = trial;
  const gates = gateSettings(trial);
  const hasTests = gates.some(({ setting, enabled }) => enabled && setting.startsWith('tests: true'));
  const webApp = detectWebApp(dir);
  const settings: ProposedConfigSetting[] = [
    ...gates,
    ...(hasTests
      ? Object.entries(TEST_GATES).map(([name, why]) => ({ setting: `${name}: true`, enabled: true, why }))
      : []),
    ...(webApp === null
      ? []
      : [
          {
            setting: `screenshots: { enabled: true, ${webApp.settings} }`,
            enabled: false,
            why: `${webApp.why}; not tried here`,
          },
        ]),
  ];
  const limit = timeLimitS(tried);
  const text = [
    'version: 1',
    ...environmentLines(environment),
    'quality_gates:',
    '  enabled: true',
    `  base_ref: ${JSON.stringify(base)}  # the base of \`assay check\``,
    `  timeout_s: ${limit}  # for one run`,
    ...settings.flatMap(settingText),
    '',
  ].join('\n');
  // A proposal must be a valid configuration.
  parseAssayConfig(text);
  return {
    text,
    environment: {
      setup: environment.problem === null ? setupOf(environment) : [],
      problem: environment.problem,
    },
    settings,
    outlook: describeOutlook(trial, hasTests),
  };
}

const setupOf = ({ setups }: GateTrialRun['environment']): EnvironmentSetting['setup'] =>
  setups.flatMap(({ lines }) =>
    lines.map(({ run: line, folder }) => (folder === '' ? line : { run: line, folder })),
  );

/** For `stringify`: names of folders may have line breaks, which would end a comment. */
const IN_ONE_LINE = {
  collectionStyle: 'flow',
  lineWidth: 0,
  doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
} as const;

function commandItem({ run: line, folder }: EnvironmentCommand): string {
  const text = stringify([folder === '' ? line : { run: line, folder }], IN_ONE_LINE).trim();
  return `    - ${text.replace(/^\[\s*|\s*\]$/g, '')}`;
}

/** Returns `environment` as lines of YAML, commented if the setup failed. */
function environmentLines(environment: GateTrialRun['environment']): string[] {
  const { setups, problem, dropped, durationMs } = environment;
  if (setups.length === 0) return [];
  const warmUp = setups.flatMap(({ warmUp: own = [] }) => own);
  const lines = [
    'environment:',
    '  setup:',
    ...setups.flatMap(({ reason, lines: own }) =>
      own.map((command, index) => `${commandItem(command)}${index === 0 ? `  # ${oneLine(reason)}` : ''}`),
    ),
    ...(warmUp.length === 0 ? [] : ['  warm_up:  # fills caches of compilers', ...warmUp.map(commandItem)]),
  ];
  if (problem !== null)
    return [
      `# The environment could not be prepared: ${oneLine(problem, 300)}`,
      '# Correct these lines, and run `assay init --check`.',
      ...lines.map((line) => `# ${line}`),
    ];
  const built = dropped.filter((path) => !path.startsWith('.'));
  return [
    `# Prepared in ${seconds(durationMs)} here; kept between runs.`,
    ...lines,
    ...(built.length === 0
      ? []
      : [
          `  # The setup also made ${oneLine(built.slice(0, 5).join(', '))} from the sources. Sandboxes do not get that, because a patch may`,
          '  # change the sources. Where commands need it, name the lines that make it:',
          '  # build: [...]',
        ]),
  ];
}

const settingText = ({ setting, enabled, why }: ProposedConfigSetting): string[] =>
  setting
    .split('\n')
    .map((line, index) => `  ${enabled ? '' : '# '}${line}${index === 0 ? `  # ${oneLine(why)}` : ''}`);

function describeOutlook({ environment, tried }: GateTrialRun, hasTests: boolean): string[] {
  const usable = tried.filter(isGateTrialUsable);
  const total = usable.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const names = usable.map(({ candidate }) => candidate.gate).join(', ');
  return [
    environment.setups.length > 0 && environment.problem === null
      ? 'A first `assay check` takes the prepared environment from the cache.'
      : 'A first `assay check` prepares nothing.',
    usable.length === 0
      ? 'It runs no command of the project.'
      : `It runs ${names} on the change (about ${seconds(total)}), and again on the base where something fails.`,
    ...(hasTests
      ? []
      : [
          tried.some(({ candidate }) => candidate.gate === 'tests')
            ? 'No test run can be used, so no executed evidence is possible. Set test_command.'
            : 'No tests were found, so no executed evidence is possible. Set test_command if there is one.',
        ]),
  ];
}

/** Runs the commands of an existing configuration on the last commit, and says for each gate whether it is of use. */
export async function validateConfig(
  dir: string,
  config: ParsedAssayConfig,
  onProgress: (text: string) => void,
): Promise<{ readonly environment: string | null; readonly gates: readonly ValidatedGate[] }> {
  const { environment, tried } = await tryConfiguredGates(dir, config, onProgress);
  return {
    environment: environment.problem,
    gates: tried.map((each) => ({
      gate: each.candidate.gate,
      usable: isGateTrialUsable(each),
      detail: isGateTrialUsable(each) ? describeRun(each) : describeProblem(each),
      duration_ms: Math.round(each.durationMs),
    })),
  };
}
