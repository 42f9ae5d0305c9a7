import type { Gate } from '../core/gate.ts';
import type { GateCondition } from '../core/gate-conditions.ts';
import { BUILT_IN_GATES, findGate } from '../gates/gate-registry.ts';
import type { QualityGatesConfig } from './configuration/config-schema.ts';

/** One gate as this configuration wants it. */
export interface GatePipelineStep {
  readonly gate: Gate;
  readonly required: boolean;
  readonly condition: GateCondition;
  readonly command: string | null;
  /** Somebody switched it on; false when it is on only because that is the default. */
  readonly explicitlyEnabled: boolean;
  readonly timeoutMs: number;
}

/**
 * The gates that are on, in order: the explicit `pipeline`, whatever the switches say, or else what the switches make.
 * @param custom the project's own gates; without a pipeline all of them run, after the others.
 */
export function resolveGatePipeline(
  config: QualityGatesConfig | null,
  custom: readonly Gate[] = [],
): GatePipelineStep[] {
  if (!config?.enabled) return [];
  if (config.pipeline)
    return config.pipeline.flatMap(({ name, required, condition, command, command_override, timeout_s }) => {
      const gate = findGate(name) ?? custom.find((each) => each.name === name);
      if (!gate) return [];
      const timeoutMs = timeout_s === undefined ? computeTimeLimitMs(gate, config) : timeout_s * 1_000;
      return [
        {
          gate,
          required,
          condition,
          command: command ?? command_override ?? null,
          explicitlyEnabled: true,
          timeoutMs,
        },
      ];
    });
  const on = BUILT_IN_GATES.filter(
    (gate) => readSwitch(gate, config.settings) ?? isEnabledByDefault(gate, config.settings),
  );
  return [...on, ...custom].map((gate) => ({
    gate,
    required: gate.required,
    condition: gate.condition,
    command: null,
    explicitlyEnabled: custom.includes(gate) || readSwitch(gate, config.settings) !== undefined,
    timeoutMs: computeTimeLimitMs(gate, config),
  }));
}

/** On by default, or because of another gate that somebody switched on. */
const isEnabledByDefault = (
  { enabledByDefault, alsoEnabledBy }: Gate,
  settings: Readonly<Record<string, unknown>>,
): boolean =>
  enabledByDefault ||
  (alsoEnabledBy?.some((flag) => readSwitch({ configKey: flag }, settings) === true) ?? false);

/** Whether a gate was switched on or off; undefined: nobody said. */
function readSwitch(
  { configKey }: Pick<Gate, 'configKey'>,
  settings: Readonly<Record<string, unknown>>,
): boolean | undefined {
  const value = readSetting(settings, configKey);
  return typeof value === 'boolean' ? value : undefined;
}

/** In milliseconds: what is set for this gate, what the gate needs, or what is set for all. */
function computeTimeLimitMs({ timeoutKey, timeoutS }: Gate, config: QualityGatesConfig): number {
  const own = timeoutKey === undefined ? undefined : readSetting(config.settings, timeoutKey);
  return (typeof own === 'number' ? own : (timeoutS ?? config.timeout_s)) * 1_000;
}

function readSetting(settings: Readonly<Record<string, unknown>>, key: string): unknown {
  let value: unknown = settings;
  for (const part of key.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[part];
  }
  return value;
}
