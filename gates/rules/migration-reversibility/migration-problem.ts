/** Why a migration cannot be taken back. `line` is 1-based. */
export interface MigrationProblem {
  readonly line: number | null;
  readonly rule: 'missing_downgrade' | 'empty_downgrade' | 'irreversible_step';
  readonly message: string;
}

/** What a way back does: something, nothing, or it refuses. */
export type MigrationDirectionEffect = 'works' | 'nothing' | 'refuses';

/** Compares the two directions: going forward without doing anything needs no way back. */
export function findDowngradeProblems(
  forward: MigrationDirectionEffect | null,
  back: { readonly effect: MigrationDirectionEffect; readonly line: number } | null,
  names: { readonly forward: string; readonly back: string },
): MigrationProblem[] {
  if (forward === null || forward === 'nothing') return [];
  if (back === null)
    return [{ line: null, rule: 'missing_downgrade', message: `has ${names.forward}, but no ${names.back}` }];
  if (back.effect === 'works') return [];
  const how = back.effect === 'nothing' ? 'does nothing' : 'only refuses';
  return [
    {
      line: back.line,
      rule: 'empty_downgrade',
      message: `${names.back} ${how}, while ${names.forward} does something`,
    },
  ];
}
