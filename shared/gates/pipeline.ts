import type { QualityGatesConfig } from '../config/schema.ts';
import type { Condition } from './conditions.ts';
import type { Gate } from './gate.ts';
import { GATES, gateNamed } from './registry.ts';

/** One gate as this configuration wants it. */
export interface Step {
  readonly gate: Gate;
  readonly required: boolean;
  readonly condition: Condition;
  readonly command: string | null;
  /** Somebody switched it on; false when it is on only because that is the default. */
  readonly asked: boolean;
}

/** The gates that are on, in order: the explicit `pipeline`, whatever the switches say, or else what the switches make. */
export function pipelineOf(config: QualityGatesConfig | null): Step[] {
  if (!config?.enabled) return [];
  if (config.pipeline)
    return config.pipeline.flatMap(({ name, required, condition, command }) => {
      const gate = gateNamed(name);
      return gate ? [{ gate, required, condition, command: command ?? null, asked: true }] : [];
    });
  return GATES.filter((gate) => switchOf(gate, config.settings) ?? gate.on).map((gate) => ({
    gate,
    required: gate.required,
    condition: gate.condition,
    command: null,
    asked: switchOf(gate, config.settings) !== undefined,
  }));
}

/** Whether a gate was switched on or off; undefined: nobody said. */
export function switchOf(
  { flag }: Pick<Gate, 'flag'>,
  settings: Readonly<Record<string, unknown>>,
): boolean | undefined {
  let value: unknown = settings;
  for (const part of flag.split('.')) {
    if (typeof value !== 'object' || value === null) break;
    value = (value as Readonly<Record<string, unknown>>)[part];
  }
  return typeof value === 'boolean' ? value : undefined;
}
