import * as z from 'zod';
import type { Gate } from '../core/gate.ts';
import { isTestPath } from '../core/test-paths.ts';
import { PROFILE_SETTINGS } from '../tests/running/settings.ts';
import { readCode } from './code-reading.ts';

const STYLES = ['auto', 'google', 'numpy', 'rest'] as const;
const Style = z.enum(STYLES, { error: () => `must be one of ${STYLES.join(', ')}` });

/** Documentation of public functions that does not fit what it documents. */
export const commentQuality: Gate = {
  name: 'comment_quality',
  flag: 'comment_quality_check',
  on: false,
  required: false,
  condition: 'code_changed',
  settings: {
    comment_quality_check: z.boolean().optional(),
    comment_quality_style: Style.optional(),
    ...PROFILE_SETTINGS,
  },
  run: async (context, settings) => {
    const [{ COMMENT_RULES }, { commentsSeen }, { docstringStyle }, { withTools }] = await Promise.all([
      import('../rules/comment-quality/rules.ts'),
      import('../rules/comment-quality/look.ts'),
      import('../languages/python/docstring-style.ts'),
      import('../tests/gate-runs/beside.ts'),
    ]);
    const style = Style.safeParse(settings['comment_quality_style']).data ?? 'auto';
    return readCode(context, COMMENT_RULES, async (code) => {
      const own = await commentsSeen(code);
      const changed = code.changed.filter(({ path }) => !isTestPath(path));
      const { seen, notes } = await withTools(context, own, changed, settings, {
        gate: 'comment_quality',
        variables: { STYLE: style === 'auto' ? await docstringStyle(context.subject) : styled(style) },
      });
      return {
        seen,
        clean: `the documentation in ${code.changed.length} changed files fits the code`,
        metadata: notes,
      };
    });
  },
};

/** No tool reads reStructuredText. */
const styled = (style: 'google' | 'numpy' | 'rest'): string | null => (style === 'rest' ? null : style);
