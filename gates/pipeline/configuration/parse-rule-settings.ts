import * as z from 'zod';
import { invalidGlobReason } from '../../../shared/lib/glob/glob.ts';
import { RULE_LEVELS, type RuleSetting } from '../../core/rule-settings.ts';
import { isLowerRuleLevel } from '../../rules/framework/rule-levels.ts';
import { findGateRule, GATE_RULES } from '../../rules/rule-registry.ts';

const Glob = z
  .string()
  .min(1, 'must not be empty')
  .max(500)
  .superRefine((glob, context) => {
    const problem = invalidGlobReason(glob);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  });

const Setting = z.strictObject({
  level: z.enum(RULE_LEVELS),
  paths: z.array(Glob).min(1).max(100).optional(),
  reason: z.string().trim().min(1, 'must not be empty').max(1_000).optional(),
  expires: z
    .union([z.iso.date(), z.iso.datetime()], { error: () => 'must be a date, or a date and time in UTC' })
    .optional(),
});

/** A level; or one with paths, a reason and an end; or several of these, of which the last that fits a file counts. */
const Entry = z.union([z.enum(RULE_LEVELS), Setting, z.array(Setting).min(1).max(100)], {
  error: () => `must be one of ${RULE_LEVELS.join(', ')}, or a mapping with level, paths, reason, expires`,
});

/** Edits that turn one word into the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1),
      );
    row = next;
  }
  return row[b.length] ?? 0;
}

/** The rule whose name is most like it. */
export const findNearestRuleId = (id: string): string =>
  GATE_RULES.map((card) => ({ id: card.id, far: distance(id.slice(0, 100), card.id) })).sort(
    (a, b) => a.far - b.far,
  )[0]?.id ?? '';

/** `rules:` of `assay.yaml`: what each rule that reads does here. */
export const RulesConfigSchema = z
  .record(z.string(), Entry)
  .default({})
  .superRefine((entries, context) => {
    for (const [id, entry] of Object.entries(entries)) {
      const card = findGateRule(id);
      if (!card) {
        context.addIssue({
          code: 'custom',
          path: [id],
          message: `is not a rule; did you mean ${findNearestRuleId(id)}? \`assay rules list\` has them all`,
        });
        continue;
      }
      listed(entry).forEach(({ level, reason, expires }, index) => {
        if (!isLowerRuleLevel(level, card.default)) return;
        const path = Array.isArray(entry) ? [id, index] : [id];
        for (const [name, value] of Object.entries({ reason, expires }))
          if (value === undefined)
            context.addIssue({
              code: 'custom',
              path,
              message: `is less than "${card.default}", the level of ${id}, and needs ${name}`,
            });
      });
    }
  });

type Entry = z.output<typeof Entry>;
const listed = (entry: Entry): readonly z.output<typeof Setting>[] =>
  typeof entry === 'string' ? [{ level: entry }] : Array.isArray(entry) ? entry : [entry];

/** The settings one by one. */
export const listRuleSettings = (entries: z.output<typeof RulesConfigSchema>): RuleSetting[] =>
  Object.entries(entries).flatMap(([id, entry]) =>
    listed(entry).map(({ level, paths = null, reason = null, expires = null }) => ({
      id,
      level,
      paths,
      reason,
      expires,
      weakened: isLowerRuleLevel(level, findGateRule(id)?.default ?? level),
    })),
  );
