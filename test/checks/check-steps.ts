import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';

/** One thing that must hold before a change is merged. */
export interface CheckStep {
  readonly name: string;
  readonly title: string;
}

/** npm scripts, quickest first, so that a mistake shows early. The tests come last and are counted one by one. */
export const CHECK_STEPS: readonly CheckStep[] = [
  { name: 'typecheck', title: 'types' },
  { name: 'lint', title: 'lint and format' },
  { name: 'lint:comments', title: 'comments of new lines' },
  { name: 'layers', title: 'layers' },
  { name: 'generate:check', title: 'generated documents' },
  { name: 'synth', title: 'synth, with CDK rules and cdk-nag' },
  { name: 'simulate:check', title: '500 simulated runs, and planted faults' },
  { name: 'simulate:kills', title: 'the stack killed while tasks run' },
  { name: 'schemathesis', title: 'answers as the document says' },
  { name: 'adversarial:check', title: 'one adversarial case of eight, with its honest twin' },
  { name: 'test:cli', title: 'the real agent CLIs' },
  { name: 'test:models', title: 'a real small model works and judges' },
  { name: 'test:aws', title: 'the template on an emulator of AWS' },
];

/** Exit code of a step that could not run here, as in Automake's tests: neither passed nor failed, and counted as skipped. */
export const SKIPPED_EXIT_CODE = 77;

export type StepOutcome = 'passed' | 'failed' | 'skipped';
/** What an exit code says; null: there was none. */
export const classifyExitCode = (code: number | null): StepOutcome =>
  code === 0 ? 'passed' : code === SKIPPED_EXIT_CODE ? 'skipped' : 'failed';

export interface StepResult {
  readonly outcome: StepOutcome;
  /** Standard output and error together, without colours. */
  readonly output: string;
  readonly ms: number;
}

/** Runs an npm script without a terminal and without standard input. */
export function runNpmScript(name: string, env: Readonly<Record<string, string>> = {}): Promise<StepResult> {
  const started = performance.now();
  return new Promise((resolve) => {
    const child = spawn('npm', ['run', '--silent', name], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    let output = '';
    const keep = (chunk: Buffer): void => {
      output += chunk.toString('utf8');
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const end = (code: number | null): void =>
      resolve({
        outcome: classifyExitCode(code),
        output: stripVTControlCharacters(output),
        ms: performance.now() - started,
      });
    child.once('error', (error) => {
      output += error.message;
      end(null);
    });
    child.once('close', end);
  });
}
