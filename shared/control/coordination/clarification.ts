import { MIN_ACCEPTANCE_CRITERION_LENGTH } from '../../contract/coordination/settings.ts';

/** Found anywhere in a criterion: as the seed has it, which refuses "Login form works with MFA". */
export const GENERIC_CRITERION_WORDS = ['done', 'complete', 'works', 'finished'] as const;

/** A criterion that is nothing but this says nothing. */
const GENERIC_CRITERION =
  /^(?:(?:it|this|that|all|everything|the (?:task|work|code|feature)) ?)?(?:'s |is |are |has been |have been |must be |should be |just |now |fully )*(?:done|completed?|works?|working|finished|ok|okay|fine|good|ready)(?: (?:now|as expected|correctly|properly|fine|well))?$/iu;

export interface ClarificationSettings {
  readonly enabled: boolean;
  readonly min_criterion_length: number;
  /** `whole`: a criterion that is nothing else; `search`: one that has it anywhere. */
  readonly match_mode: 'whole' | 'search';
}
export const DEFAULT_CLARIFICATION_SETTINGS: ClarificationSettings = {
  enabled: true,
  min_criterion_length: MIN_ACCEPTANCE_CRITERION_LENGTH,
  match_mode: 'whole',
};

/** Without marks at its end, and with single spaces. */
const normalizeCriterion = (criterion: string): string =>
  criterion
    .trim()
    .replaceAll(/\s+/gu, ' ')
    .replace(/[\p{P}\s]+$/u, '');

const isGeneric = (criterion: string, { match_mode }: ClarificationSettings): boolean =>
  match_mode === 'whole'
    ? GENERIC_CRITERION.test(normalizeCriterion(criterion))
    : GENERIC_CRITERION_WORDS.some((word) => criterion.toLowerCase().includes(word));

/** Why a person must say first what is meant; empty: it is clear. @param checks how many signals say what must be true, beside criteria. */
export function unclearCriteriaReasons(
  criteria: readonly string[],
  checks = 0,
  settings: ClarificationSettings = DEFAULT_CLARIFICATION_SETTINGS,
): string[] {
  if (!settings.enabled) return [];
  if (criteria.length === 0)
    return checks > 0
      ? []
      : ['nothing says what must be true in the end: no acceptance criteria, no completion signals'];
  return criteria.flatMap((criterion) => {
    const text = criterion.trim();
    const length = [...text].length;
    return [
      ...(length < settings.min_criterion_length
        ? [`too short to be looked at (${length} of ${settings.min_criterion_length} characters): "${text}"`]
        : []),
      ...(isGeneric(text, settings) ? [`says nothing of this work: "${text}"`] : []),
    ];
  });
}

/** The same of a goal that is to be planned. Without criteria it is looked at itself: it may be short, the planner makes criteria of it and code checks those. */
export const unclearGoalReasons = (
  goal: string,
  criteria: readonly string[],
  settings: ClarificationSettings = DEFAULT_CLARIFICATION_SETTINGS,
): string[] =>
  criteria.length === 0
    ? unclearCriteriaReasons([goal], 0, { ...settings, min_criterion_length: 1 })
    : unclearCriteriaReasons(criteria, 0, settings);
