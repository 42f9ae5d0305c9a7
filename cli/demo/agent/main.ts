import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { UsageFile } from '../../../shared/messages/assignment.ts';
import { SOLUTIONS } from './solutions.ts';

/**
 * A stand-in for a coding agent: `node main.ts <task id> <model>` in the checkout. It edits real files, as well or as
 * badly as its tier would, and leaves its token counts in the usage file, as an adapter of a real agent does.
 */
const [taskId = '', model = ''] = process.argv.slice(2);
const tier = ['haiku', 'sonnet', 'opus'].find((name) => model.includes(name));
const solution = tier === undefined ? undefined : SOLUTIONS[taskId]?.[tier];
if (!solution) {
  console.error(`no script for task ${taskId} on model ${model}`);
  process.exit(1);
}

for (const [path, text] of Object.entries(solution.files)) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
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
