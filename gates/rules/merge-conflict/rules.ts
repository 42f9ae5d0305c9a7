import { readThreadCpuMs } from '../../../workspace/process/cpu-time.ts';
import type { PatchView, Rule } from '../framework/rule.ts';
import { createRuleFamily } from '../framework/rule-family.ts';

async function collectFindings(patch: PatchView) {
  const { findConflictMarkers } = await import('./conflict-markers.ts');
  return findConflictMarkers(patch, readThreadCpuMs() + 60_000);
}

const mark = (sign: string, name: string): string => `${sign.repeat(7)} ${name}`;
const CONFLICT = `${mark('<', 'HEAD')}\na = 1\n=======\na = 2\n${mark('>', 'theirs')}\n`;

/** The rule of the gate `merge_conflict` that reads; whether the work merges is asked of git. */
export const CONFLICT_MARKER_RULES: readonly Rule[] = createRuleFamily(collectFindings, [
  {
    id: 'conflict_marker',
    default: 'error',
    languages: 'all',
    summary: 'a marker of a merge conflict was left in',
    rationale: 'The file holds both sides of a conflict that nobody has resolved.',
    invalidExamples: [
      { name: 'both sides of a conflict', before: { 'a.py': 'a = 1\n' }, after: { 'a.py': CONFLICT } },
    ],
    validExamples: [
      {
        name: 'a manual that quotes a conflict',
        before: { 'a.py': 'a = 1\n' },
        after: { 'docs/merge.md': `# Conflicts\n\n\`\`\`\n${CONFLICT}\`\`\`\n` },
      },
      {
        name: 'a heading that is underlined',
        before: { 'a.py': 'a = 1\n' },
        after: { 'docs/a.rst': 'Title\n=======\n' },
      },
    ],
  },
]);
