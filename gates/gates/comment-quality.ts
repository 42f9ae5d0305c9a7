import * as z from 'zod';
import type { Gate } from '../engine/gate.ts';
import { STYLES } from '../rules/comment-quality/documented.ts';

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
    const { lookAtComments } = await import('../rules/comment-quality/look.ts');
    return lookAtComments(context, Style.safeParse(settings['comment_quality_style']).data ?? 'auto');
  },
};
