import { CliError, EXIT } from './exit.ts';
import { printable } from './output/text.ts';

/** The argument of `--limit`. */
export const wholeNumber = (text: string): number => {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1)
    throw new CliError(
      EXIT.usage,
      'bad_limit',
      `--limit must be a whole number from 1, not ${printable(text)}.`,
    );
  return number;
};
