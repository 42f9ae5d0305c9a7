import { randomUUID } from 'node:crypto';
import type { ProcessResult } from '../../../workspace/process/run-process.ts';
import type { Sandbox } from '../../core/sandboxes.ts';
import { GATE_MODULE_HARNESS } from './harness.ts';

/** Where a module comes from. */
export type GateModuleSource =
  | { readonly name: string; readonly file: string }
  | { readonly name: string; readonly package: string };

export interface GateModuleAnswer {
  readonly processResult: ProcessResult;
  /** What the module answered; undefined when it came to no answer. */
  readonly value: unknown;
}

/**
 * Has modules described or, with a context, one of them run, in a process of its own with the limits and the user of a command.
 * Never rejects because of a module.
 */
export async function runGateModules(
  room: Sandbox,
  sources: readonly GateModuleSource[],
  context: Readonly<Record<string, unknown>> | null,
  timeoutMs: number,
): Promise<GateModuleAnswer> {
  const mark = randomUUID();
  const ran = await room.run(
    {
      argv: [process.execPath, '--input-type=module', '--eval', GATE_MODULE_HARNESS],
      input: JSON.stringify({ mark, sources, ...(context ? { context } : {}) }),
    },
    timeoutMs,
  );
  return { processResult: ran, value: answerIn(ran.output, mark) };
}

function answerIn(output: string, mark: string): unknown {
  const at = output.lastIndexOf(`\n${mark}`);
  if (at < 0) return undefined;
  const from = at + mark.length + 1;
  const end = output.indexOf('\n', from);
  try {
    return JSON.parse(output.slice(from, end < 0 ? undefined : end));
  } catch {
    return undefined;
  }
}
