import * as z from 'zod';

/** Keys of `quality_gates` that say how much is run besides the patch's own tests. */
export const BEHAVIOUR_SETTINGS = {
  /** Runs tests that the patch can break a second time with another zone, language, host name and without `CI`. */
  other_surroundings: z.boolean().optional(),
  mutants: z
    .strictObject({
      enabled: z.boolean().default(true),
      /** CPU time for all of one kind together. */
      seconds: z.number().int().min(1).max(7_200).default(20),
      /** Most that are tried. */
      at_most: z.number().int().min(1).max(1_000).default(12),
      /** Share of survivors above which a patch with tests of its own is held. */
      surviving: z.number().min(0).max(1).default(0.45),
    })
    .optional(),
};

export interface MutantSettings {
  readonly seconds: number;
  readonly atMost: number;
  readonly surviving: number;
}

export interface BehaviourSettings {
  readonly otherSurroundings: boolean;
  /** Null: none are tried. */
  readonly mutants: MutantSettings | null;
}

const Settings = z.object(BEHAVIOUR_SETTINGS);

/** The settings, with what counts where nothing is set. */
export function behaviourOf(settings: Readonly<Record<string, unknown>>): BehaviourSettings {
  const { other_surroundings = true, mutants } = Settings.parse(settings);
  const { enabled = true, seconds = 20, at_most = 12, surviving = 0.45 } = mutants ?? {};
  return {
    otherSurroundings: other_surroundings,
    mutants: enabled ? { seconds, atMost: at_most, surviving } : null,
  };
}
