import { Argument, Option } from 'commander';
import { CLI_EXIT_CODES, CliError } from './exit.ts';
import { toOneLine } from './output/text.ts';

/** An argument or an option of a command. T is the type of its value. */
interface Parameter<P, T> {
  /** A new one for each program that is built: Commander's parameters belong to one command. */
  create(): P;
  read(value: unknown): T;
}
export type ArgumentSpec<T = unknown> = Parameter<Argument, T>;
export type OptionSpec<T = unknown> = Parameter<Option, T>;
export type ArgumentSpecs = Readonly<Record<string, ArgumentSpec>>;
export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

/** The values of parameters, by the same keys. */
export type ParameterValues<Specs extends ArgumentSpecs | OptionSpecs> = {
  readonly [Key in keyof Specs]: ReturnType<Specs[Key]['read']>;
};

type ArgumentText<Name extends string> = Name extends `${string}...${string}`
  ? readonly string[]
  : Name extends `[${string}`
    ? string | undefined
    : string;

/** An argument: `<id>` is required, `[id]` optional, `<id...>` a list. */
export function defineArgument<const Name extends string>(
  name: Name,
  description: string,
): ArgumentSpec<ArgumentText<Name>>;
export function defineArgument<const Choice extends string>(
  name: string,
  description: string,
  choices: readonly Choice[],
): ArgumentSpec<Choice>;
export function defineArgument(name: string, description: string, choices?: readonly string[]): ArgumentSpec {
  return {
    create: () => {
      const created = new Argument(name, description);
      return choices ? created.choices(choices) : created;
    },
    read: (value) => value,
  };
}

/**
 * Reads the text of an option.
 * @param flag the option as messages name it, for example `--limit`
 * @throws CliError for text that is no such value
 */
export type OptionParser<T> = (text: string, flag: string) => T;

interface OptionSettings {
  readonly parse?: OptionParser<unknown>;
  readonly choices?: readonly string[];
  readonly default?: unknown;
  /** The command is refused without it. */
  readonly required?: boolean;
  /** May be given several times: the value is a list, and each text may have several. */
  readonly repeatable?: true;
}

type Single<Flags extends string, Settings> = Settings extends { readonly parse: OptionParser<infer T> }
  ? T
  : Settings extends { readonly choices: readonly (infer Choice)[] }
    ? Choice
    : Flags extends `${string}...>`
      ? readonly string[]
      : Flags extends `${string}<${string}`
        ? string
        : true;
type OptionValue<Flags extends string, Settings> = Settings extends { readonly repeatable: true }
  ? readonly (Single<Flags, Settings> extends readonly (infer T)[] ? T : Single<Flags, Settings>)[]
  : Settings extends { readonly default: infer Default }
    ? Single<Flags, Settings> | Default
    : Settings extends { readonly required: true }
      ? Single<Flags, Settings>
      : Single<Flags, Settings> | undefined;

/** An option. Its type follows from its flags and its settings; one without a value is true where it is given. */
export function defineOption<const Flags extends string, const Settings extends OptionSettings = object>(
  flags: Flags,
  description: string,
  settings?: Settings,
): OptionSpec<OptionValue<Flags, Settings>> {
  const { parse, choices, default: value, required = false, repeatable = false } = settings ?? {};
  return {
    create: () => {
      const created = new Option(flags, description).makeOptionMandatory(required);
      if (choices) created.choices(choices);
      if (value !== undefined) created.default(value);
      if (!parse && !repeatable) return created;
      const flag = created.long ?? flags;
      return created.argParser<unknown>((text, previous) => {
        const parsed = parse ? parse(text, flag) : text;
        return repeatable ? [...new Set([(previous as unknown[] | undefined) ?? [], parsed].flat())] : parsed;
      });
    },
    read: (given) => {
      if (repeatable) return (given ?? []) as OptionValue<Flags, Settings>;
      // `--no-x` and `--x` share one value of Commander: false and true.
      if (flags.startsWith('--no-')) return (given === false || undefined) as OptionValue<Flags, Settings>;
      return (given === false ? undefined : given) as OptionValue<Flags, Settings>;
    },
  };
}

const badOption = (message: string): CliError => new CliError(CLI_EXIT_CODES.usage, 'bad_option', message);

/** Reads a whole number from `min` to `max`. */
export const createIntegerParser =
  (min = 1, max = Number.POSITIVE_INFINITY): OptionParser<number> =>
  (text, flag) => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isInteger(value) && value >= min && value <= max) return value;
    const range = max === Number.POSITIVE_INFINITY ? `from ${min}` : `from ${min} to ${max}`;
    throw badOption(`${flag} must be a whole number ${range}, not ${toOneLine(text)}.`);
  };

/** Reads a time limit in seconds, above 0 and at most what a timer can hold (24 days). */
export const parseTimeLimit: OptionParser<number> = (text, flag) => {
  const seconds = Number(text);
  if (seconds > 0 && seconds <= 2_000_000) return seconds;
  throw badOption(`${flag} must be seconds from above 0 to 2000000, not ${toOneLine(text)}.`);
};
