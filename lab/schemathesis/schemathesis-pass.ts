import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type PassConfig, renderPassConfig, selectPhases } from './pass-config.ts';
import { countResponses, findNeverSuccessfulOperations, sumResponses } from './response-counts.ts';

export interface PassResult {
  /** Null: every case kept to the document. Else what Schemathesis said, or that it did not come to an end. */
  readonly problem: string | null;
  readonly cases: number;
  /** Operations that were refused each time. */
  readonly neverSuccessful: readonly string[];
}

interface PassEnvironment {
  readonly program: string;
  readonly folder: string;
  readonly document: string;
  readonly url: string;
  /** Milliseconds after which the pass is ended, as one that failed. */
  readonly limitMs: number;
}

function run(program: string, args: readonly string[], cwd: string, limitMs: number) {
  return new Promise<{ code: number | null; output: string }>((resolve) => {
    let output = '';
    const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], timeout: limitMs });
    const keep = (chunk: Buffer): void => {
      output += chunk.toString('utf8');
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', (error) => resolve({ code: null, output: error.message }));
    child.once('close', (code) => resolve({ code, output }));
  });
}

/** Has Schemathesis try the operations of one caller. Its configuration holds a token, and stays in `folder`. */
export async function runSchemathesisPass(
  name: string,
  config: PassConfig,
  place: PassEnvironment,
): Promise<PassResult> {
  const folder = join(place.folder, name.replaceAll(/\W+/g, '-'));
  mkdirSync(folder);
  const settings = join(folder, 'schemathesis.toml');
  const events = join(folder, 'events.ndjson');
  writeFileSync(settings, renderPassConfig(config), { mode: 0o600 });
  const { code, output } = await run(
    place.program,
    [
      ...['--config-file', settings, 'run', place.document, '--url', place.url],
      ...['--phases', selectPhases(config), '--report', 'ndjson', '--report-ndjson-path', events],
      ...config.operations.flatMap((id) => ['--include-operation-id', id]),
    ],
    folder,
    place.limitMs,
  );
  if (code === null)
    return { problem: `no end after ${place.limitMs} ms\n${output}`, cases: 0, neverSuccessful: [] };
  if (code !== 0) return { problem: output, cases: 0, neverSuccessful: [] };
  const answers = countResponses(events);
  return {
    problem: null,
    cases: sumResponses(answers),
    neverSuccessful: findNeverSuccessfulOperations(answers),
  };
}
