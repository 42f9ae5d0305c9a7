import { randomUUID } from 'node:crypto';
import type { ProcessResult } from '../../../workspace/process/run-process.ts';
import type { Sandbox } from '../../core/sandbox-factory.ts';

/**
 * The program that loads modules of the project, in a process of its own: never in ours. It reads one order from standard input and
 * prints one answer behind the order's mark, which nobody else knows: what the modules print themselves cannot be mistaken for it.
 * Modules and all that they import come from the base commit; the patched tree is the working folder and an argument.
 */
const GATE_MODULE_HARNESS = `
import { readFileSync, realpathSync, writeSync } from 'node:fs';
import { join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

const order = JSON.parse(readFileSync(0, 'utf8'));
const root = realpathSync('.');
const baseRoot = order.baseRoot ?? root;

function say(value) {
  let rest = Buffer.from('\\n' + order.mark + JSON.stringify(value) + '\\n');
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

function inside(folder, path) {
  const real = realpathSync(join(folder, path));
  if (!real.startsWith(folder + sep)) throw new Error(path + ' lies outside of ' + folder);
  return real;
}

function fileOf({ name, file, package: id }) {
  if (file) return inside(baseRoot, file);
  let folder;
  try {
    folder = inside(baseRoot, 'node_modules/' + id);
  } catch {
    throw new Error('the package ' + id + ' is not installed in the base commit');
  }
  const path = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).assay?.gates?.[name];
  if (typeof path !== 'string') throw new Error('the package ' + id + ' has no "' + name + '" in assay.gates');
  return inside(folder, path);
}

async function load(source) {
  const { default: gate } = await import(pathToFileURL(fileOf(source)).href);
  if (typeof gate?.run !== 'function') throw new Error('its default export has no function run');
  return gate;
}

async function describe(source) {
  try {
    const { name, required, condition, timeout_s } = await load(source);
    return { declared: { name, required, condition, timeout_s } };
  } catch (error) {
    return { problem: String(error?.message ?? error) };
  }
}

if (order.context) {
  const gate = await load(order.sources[0]);
  say(await gate.run({ ...order.context, root, baseRoot }));
} else say(await Promise.all(order.sources.map(describe)));
process.exit(0);
`;

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
 * @param room a sandbox of the base commit, or one that has it beside its tree.
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
      input: JSON.stringify({ mark, sources, baseRoot: room.baseRoot, ...(context ? { context } : {}) }),
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
