import { InvalidArgumentError } from 'commander';
import { EXPECTATIONS, Expectation } from '../shared/contract/submission/expects.ts';

/** `--expects ci,dependencies`, also several times. */
export function expectations(value: string, before: readonly Expectation[] = []): Expectation[] {
  const words = value.split(',').map((word) => {
    const known = Expectation.safeParse(word.trim());
    if (!known.success)
      throw new InvalidArgumentError(`"${word.trim()}" is none of ${EXPECTATIONS.join(', ')}.`);
    return known.data;
  });
  return [...new Set([...before, ...words])];
}

/** Flags, description and reader of the option. */
export const EXPECTS_OPTION = [
  '--expects <words>',
  'what the work is foreseen to change, e.g. ci,dependencies (repeatable): files of such kinds are not put back',
  expectations,
] as const;
