import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { UsageFile } from '../../../shared/contract/messages/assignment.ts';
import { SOLUTIONS, type Solution } from './solutions.ts';

/**
 * A stand-in for a coding agent: `node main.ts <task id> <model>` in the checkout. It edits real files, as well or as
 * badly as its tier would, asks leave where it should, and leaves its token counts in the usage file, as an adapter of a real agent does.
 */
const [taskId = '', model = ''] = process.argv.slice(2);
const tier = ['haiku', 'sonnet', 'opus'].find((name) => model.includes(name));
const solution = tier === undefined ? undefined : SOLUTIONS[taskId]?.[tier];
if (!solution) {
  console.error(`no script for task ${taskId} on model ${model}`);
  process.exit(1);
}

const write = (files: Solution['files']): void => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
};
const { leave } = solution;
const { ASSAY_PROMPT_FILE: promptFile, ASSAY_APPROVAL_FILE: approvalFile } = process.env;
write(solution.files);
if (leave && promptFile !== undefined && approvalFile !== undefined) {
  // What the platform says to an agent that goes on after its question.
  if (!readFileSync(promptFile, 'utf8').includes(`leave to do ${leave.ask.action}`)) {
    writeFileSync(approvalFile, JSON.stringify(leave.ask));
    process.exit(0);
  }
  write(leave.files);
}
console.log(solution.summary);

const usageFile = process.env['ASSAY_USAGE_FILE'];
if (usageFile !== undefined) {
  const [input_tokens, output_tokens] = solution.tokens;
  const report: UsageFile = {
    usage: { input_tokens, output_tokens, cache_read_tokens: input_tokens * 3, cache_write_tokens: 0 },
    summary: solution.summary,
    status: 'done',
  };
  writeFileSync(usageFile, JSON.stringify(report));
}
