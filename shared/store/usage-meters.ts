import type { ModelCallingLaunchKind } from '../contract/access/tokens.ts';
import type { TokenUsage } from '../contract/models/usage.ts';
import { TABLE_ITEM_KEY_PREFIXES, TASKS_TABLE_KEY_ATTRIBUTES } from '../contract/resource-names.ts';
import { TOKEN_USAGE_FIELDS } from '../control/model-gateway/metered-usage.ts';
import {
  MAX_CONSECUTIVE_PROVIDER_FAILURES,
  type ProviderFailure,
} from '../control/model-gateway/provider-failure.ts';
import type {
  CallReservationResult,
  ModelCallSettlement,
  UsageMeter,
} from '../control/model-gateway/usage-meter.ts';
import { type ItemTable, itemKey, type TableItem } from './item-table.ts';
import { computeTtlEpochSeconds } from './ttl.ts';

/** Days that a meter is kept: as long as its task. */
const RETENTION_DAYS = 90;
/** Attributes: `open:<call>` holds the reservation of an unsettled call, `use:<field>:<model>` counts tokens. */
const OPEN = 'open:';
const USE = 'use:';
/** Stands for models that were not asked for. A provider may answer under any number of names; the item has room for few. */
const OTHER_MODELS = '(other)';
/** The first `asked > answered`. */
const SUBSTITUTION = 'substitution';

/** Which meter: of the agent of an attempt, or of its gates. */
interface MeterKey {
  readonly taskId: string;
  readonly attempt: number;
  readonly caller: ModelCallingLaunchKind;
}

const keyOf = ({ taskId, attempt, caller }: MeterKey): TableItem =>
  itemKey(
    `${TABLE_ITEM_KEY_PREFIXES.meter}${taskId}`,
    `attempt#${String(attempt).padStart(4, '0')}${caller === 'agent' ? '' : `#${caller}`}`,
  );

/** Calls in a row that the provider could not do, and the last of them. */
const TROUBLES = 'troubles';
const TROUBLE = 'trouble';

/** A failure of a provider as the item has it. */
type StoredFailure = Omit<ProviderFailure, 'retryAtMs'> & { readonly until: ProviderFailure['retryAtMs'] };
const toStoredFailure = ({ retryAtMs: until, ...rest }: ProviderFailure): StoredFailure => ({
  ...rest,
  until,
});
const fromStoredFailure = ({ until: retryAtMs, ...rest }: StoredFailure): ProviderFailure => ({
  ...rest,
  retryAtMs,
});

/** Reads a meter from its item. */
function meterOf(item: Readonly<Record<string, unknown>>): UsageMeter {
  const number = (name: string): number => Number(item[name] ?? 0);
  const models: Record<string, TokenUsage> = {};
  const open: number[] = [];
  for (const [name, value] of Object.entries(item)) {
    if (name.startsWith(OPEN)) open.push(Number(value));
    const [, field, model] = /^use:(\w+):(.+)$/s.exec(name) ?? [];
    if (model === undefined) continue;
    const none = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 };
    const known = Object.hasOwn(models, model) ? models[model] : none;
    models[model] = { ...none, ...known, [String(field)]: Number(value) };
  }
  return {
    calls: number('calls'),
    settled: number('spent'),
    estimated: number('estimated'),
    unpriced: number('unpriced'),
    openReservations: open,
    models,
    substitution: item[SUBSTITUTION] === undefined ? null : String(item[SUBSTITUTION]),
    providerFailure:
      number(TROUBLES) > 0
        ? { ...fromStoredFailure(item[TROUBLE] as StoredFailure), calls: number(TROUBLES) }
        : null,
  };
}

/**
 * Meters of model calls. Each step is one conditional update that may be sent twice: a reservation is an attribute named by the call,
 * and settling removes it. Money in millionths of a dollar.
 */
export class UsageMeterStore {
  readonly #table: ItemTable;

  constructor(table: ItemTable) {
    this.#table = table;
  }

  /** What was counted for the agent of an attempt, or for its gates; null when no model was called. */
  async read(
    taskId: string,
    attempt: number,
    caller: ModelCallingLaunchKind = 'agent',
  ): Promise<UsageMeter | null> {
    const item = await this.#table.get(keyOf({ taskId, attempt, caller }));
    return item && meterOf(item);
  }

  /**
   * Reserves what a call may cost at the worst. Refused once spent and reserved together have come to the limit: so at any time at most
   * one call's worst case lies beyond it. Refused, too, once the provider could not do the last few.
   */
  async reserve(
    of: MeterKey & { readonly limitMicro: number },
    call: string,
    worst: number,
    now: Date,
  ): Promise<CallReservationResult> {
    const isMade = await this.#table.updateIf(keyOf(of), {
      UpdateExpression: 'SET #open = :worst, #ttl = :ttl ADD taken :worst, calls :one',
      ConditionExpression:
        'attribute_not_exists(#open) AND :limit > :zero AND (attribute_not_exists(taken) OR taken < :limit) AND (attribute_not_exists(#troubles) OR #troubles < :most)',
      ExpressionAttributeNames: {
        '#open': `${OPEN}${call}`,
        '#ttl': TASKS_TABLE_KEY_ATTRIBUTES.ttl,
        '#troubles': TROUBLES,
      },
      ExpressionAttributeValues: {
        ':worst': worst,
        ':ttl': computeTtlEpochSeconds(RETENTION_DAYS, now),
        ':one': 1,
        ':zero': 0,
        ':limit': of.limitMicro,
        ':most': MAX_CONSECUTIVE_PROVIDER_FAILURES,
      },
    });
    if (isMade) return 'made';
    const item = await this.#table.get(keyOf(of));
    // The answer to an earlier try of this very write was lost.
    if (item?.[`${OPEN}${call}`] !== undefined) return 'made';
    return Number(item?.[TROUBLES] ?? 0) >= MAX_CONSECUTIVE_PROVIDER_FAILURES ? 'failing' : 'spent';
  }

  /** Puts what a call has cost in the place of its reservation. A repeat changes nothing. */
  async settle(of: MeterKey, call: string, worst: number, settlement: ModelCallSettlement): Promise<void> {
    const { model, usage, micro, estimated, substitution, end } = settlement;
    const isTrouble = typeof end === 'object';
    const counted = TOKEN_USAGE_FIELDS.filter((field) => usage[field] > 0);
    const meteredModel = substitution === null ? model : OTHER_MODELS;
    const names = Object.fromEntries(
      counted.map((field, index) => [`#u${index}`, `${USE}${field}:${meteredModel}`]),
    );
    const values = Object.fromEntries(counted.map((field, index) => [`:u${index}`, usage[field]]));
    const adds = [
      // A call whose price nobody knows goes on counting as its reservation.
      ...(micro === null ? ['unpriced :one'] : ['taken :difference', 'spent :micro', 'estimated :estimated']),
      ...counted.map((_, index) => `#u${index} :u${index}`),
      ...(isTrouble ? ['#troubles :each'] : []),
    ];
    const sets = [
      ...(isTrouble ? ['#trouble = :trouble'] : end === 'well' ? ['#troubles = :none'] : []),
      ...(substitution === null ? [] : ['#substitution = if_not_exists(#substitution, :substitution)']),
    ];
    await this.#table.updateIf(keyOf(of), {
      UpdateExpression: `REMOVE #open ADD ${adds.join(', ')}${sets.length > 0 ? ` SET ${sets.join(', ')}` : ''}`,
      ConditionExpression: 'attribute_exists(#open)',
      ExpressionAttributeNames: {
        '#open': `${OPEN}${call}`,
        ...names,
        ...(end === 'unknown' ? {} : { '#troubles': TROUBLES }),
        ...(isTrouble ? { '#trouble': TROUBLE } : {}),
        ...(substitution === null ? {} : { '#substitution': SUBSTITUTION }),
      },
      ExpressionAttributeValues: {
        ...(micro === null
          ? { ':one': 1 }
          : { ':difference': micro - worst, ':micro': micro, ':estimated': estimated }),
        ...(end === 'well' ? { ':none': 0 } : {}),
        ...(isTrouble ? { ':trouble': toStoredFailure(end), ':each': 1 } : {}),
        ...(substitution === null ? {} : { ':substitution': substitution }),
        ...values,
      },
    });
  }
}
