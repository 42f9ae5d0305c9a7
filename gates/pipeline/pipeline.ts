import type { Condition } from '../core/conditions.ts';
import type { Gate } from '../core/gate.ts';
import { GATES, gateNamed } from '../gates/registry.ts';
import type { QualityGatesConfig } from './configuration/schema.ts';

/** One gate as this configuration wants it. */
export interface Step {
  readonly gate: Gate;
  readonly required: boolean;
  readonly condition: Condition;
  readonly command: string | null;
  /** Somebody switched it on; false when it is on only because that is the default. */
  readonly asked: boolean;
  readonly timeoutMs: number;
}

/**
 * The gates that are on, in order: the explicit `pipeline`, whatever the switches say, or else what the switches make.
 * @param custom the project's own gates; without a pipeline all of them run, after the others.
 */
export function pipelineOf(config: QualityGatesConfig | null, custom: readonly Gate[] = []): Step[] {
  if (!config?.enabled) return [];
  if (config.pipeline)
    return config.pipeline.flatMap(({ name, required, condition, command, command_override, timeout_s }) => {
      const gate = gateNamed(name) ?? custom.find((each) => each.name === name);
      if (!gate) return [];
      const timeoutMs = timeout_s === undefined ? timeLimitOf(gate, config) : timeout_s * 1_000;
      return [
        { gate, required, condition, command: command ?? command_override ?? null, asked: true, timeoutMs },
      ];
    });
  const on = GATES.filter((gate) => switchOf(gate, config.settings) ?? isOnUnasked(gate, config.settings));
  return [...on, ...custom].map((gate) => ({
    gate,
    required: gate.required,
    condition: gate.condition,
    command: null,
    asked: custom.includes(gate) || switchOf(gate, config.settings) !== undefined,
    timeoutMs: timeLimitOf(gate, config),
  }));
}

/** On by default, or because of another gate that somebody switched on. */
const isOnUnasked = ({ on, onWith }: Gate, settings: Readonly<Record<string, unknown>>): boolean =>
  on || (onWith?.some((flag) => switchOf({ flag }, settings) === true) ?? false);

/** Whether a gate was switched on or off; undefined: nobody said. */
function switchOf(
  { flag }: Pick<Gate, 'flag'>,
  settings: Readonly<Record<string, unknown>>,
): boolean | undefined {
  const value = settingAt(settings, flag);
  return typeof value === 'boolean' ? value : undefined;
}

/** In milliseconds: what is set for this gate, what the gate needs, or what is set for all. */
function timeLimitOf({ timeoutKey, timeoutS }: Gate, config: QualityGatesConfig): number {
  const own = timeoutKey === undefined ? undefined : settingAt(config.settings, timeoutKey);
  return (typeof own === 'number' ? own : (timeoutS ?? config.timeout_s)) * 1_000;
}

function settingAt(settings: Readonly<Record<string, unknown>>, key: string): unknown {
  let value: unknown = settings;
  for (const part of key.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[part];
  }
  return value;
}
