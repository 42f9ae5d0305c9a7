import * as z from 'zod';
import type { Gate } from '../engine/gate.ts';
import { STYLES } from '../rules/comment-quality/documented.ts';
import { readCode } from './code-reading.ts';

const Style = z.enum(STYLES, { error: () => `must be one of ${STYLES.join(', ')}` });

/** Documentation of public functions that does not fit what it documents. */
export const commentQuality: Gate = {
  name: 'comment_quality',
  flag: 'comment_quality_check',
  on: false,
  required: false,
  condition: 'code_changed',
  settings: { comment_quality_check: z.boolean().optional(), comment_quality_style: Style.optional() },
  run: async (context, settings) => {
    const style = Style.safeParse(settings['comment_quality_style']).data ?? 'auto';
    const [{ COMMENT_RULES }, { commentsSeen }] = await Promise.all([
      import('../rules/comment-quality/rules.ts'),
      import('../rules/comment-quality/look.ts'),
    ]);
    return readCode(context, COMMENT_RULES, async (code) => ({
      seen: await commentsSeen(code, style),
      clean: `the documentation in ${code.changed.length} changed files fits the code`,
    }));
  },
};
