import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { CommandAdapterUsageFile } from '../../../shared/contract/messages/assignment.ts';
import { SCRIPTED_SOLUTIONS, type ScriptedSolution } from './solutions.ts';

/**
 * A scripted coding agent: `node main.ts <task id> <model>` in the checkout. It writes the files of its tier's solution, requests an
 * approval where the solution has one, and writes its token counts into the usage file like an adapter of a real agent.
 */
const [taskId = '', model = ''] = process.argv.slice(2);
const tier = ['haiku', 'sonnet', 'opus'].find((name) => model.includes(name));
const solution = tier === undefined ? undefined : SCRIPTED_SOLUTIONS[taskId]?.[tier];
if (!solution) {
  console.error(`no script for task ${taskId} on model ${model}`);
  process.exit(1);
}

const write = (files: ScriptedSolution['files']): void => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
};
const { approval } = solution;
const { ASSAY_PROMPT_FILE: promptFile, ASSAY_APPROVAL_FILE: approvalFile } = process.env;
write(solution.files);
if (approval && promptFile !== undefined && approvalFile !== undefined) {
  // The prompt of an agent that continues after an approval has these words.
  if (!readFileSync(promptFile, 'utf8').includes(`leave to do ${approval.request.action}`)) {
    writeFileSync(approvalFile, JSON.stringify(approval.request));
    process.exit(0);
  }
  write(approval.files);
}
console.log(solution.summary);

const usageFile = process.env['ASSAY_USAGE_FILE'];
if (usageFile !== undefined) {
  const [input_tokens, output_tokens] = solution.tokens;
  const report: CommandAdapterUsageFile = {
    usage: { input_tokens, output_tokens, cache_read_tokens: input_tokens * 3, cache_write_tokens: 0 },
    summary: solution.summary,
    status: 'done',
  };
  writeFileSync(usageFile, JSON.stringify(report));
}
