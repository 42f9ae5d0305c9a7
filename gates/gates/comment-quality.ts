import * as z from 'zod';
import { isTestPath } from '../../shared/contract/evidence/test-path.ts';
import { COMPARING_GATE_TIME_LIMIT_COUNT } from '../core/experiment-settings.ts';
import type { Gate } from '../core/gate.ts';
import { runCodeRules } from './code-rule-gate.ts';

const STYLES = ['auto', 'google', 'numpy', 'rest'] as const;
const Style = z.enum(STYLES, { error: () => `must be one of ${STYLES.join(', ')}` });

/** Documentation of public functions that does not fit what it documents. */
export const commentQualityGate: Gate = {
  name: 'comment_quality',
  configKey: 'comment_quality_check',
  enabledByDefault: false,
  timeLimitCount: COMPARING_GATE_TIME_LIMIT_COUNT,
  required: false,
  condition: 'code_changed',
  settings: {
    comment_quality_check: z.boolean().optional(),
    comment_quality_style: Style.optional(),
  },
  run: async (context, settings) => {
    const [
      { COMMENT_QUALITY_RULES },
      { findDocumentationFindings },
      { readDocstringStyle },
      { mergeToolFindings },
    ] = await Promise.all([
      import('../rules/comment-quality/rules.ts'),
      import('../rules/comment-quality/doc-findings.ts'),
      import('../languages/python/docstring-style.ts'),
      import('../tests/gate-runs/merge-tool-findings.ts'),
    ]);
    const style = Style.safeParse(settings['comment_quality_style']).data ?? 'auto';
    return runCodeRules(context, COMMENT_QUALITY_RULES, async (code) => {
      const own = await findDocumentationFindings(code);
      const changed = code.changed.filter(({ path }) => !isTestPath(path));
      const { seen, notes } = await mergeToolFindings(context, own, changed, {
        gate: 'comment_quality',
        variables: { STYLE: style === 'auto' ? await readDocstringStyle(context.subject) : styled(style) },
      });
      return {
        findings: seen,
        cleanDetail: `the documentation in ${code.changed.length} changed files fits the code`,
        facts: notes,
      };
    });
  },
};

/** No tool reads reStructuredText. */
const styled = (style: 'google' | 'numpy' | 'rest'): string | null => (style === 'rest' ? null : style);
