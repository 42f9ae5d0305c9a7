import { createHash } from 'node:crypto';
import { TABLE_ITEM_KEY_PREFIXES, TASKS_TABLE_KEY_ATTRIBUTES } from '../contract/resource-names.ts';
import { PRIORITIES } from '../contract/submission/schema.ts';
import {
  canAdmitLaunch,
  computePassedOverCounts,
  type LaunchAdmissionRequest,
  type LaunchAdmissionState,
  planLaunchWaitEntry,
  type WaitingLaunchRequest,
} from '../control/admission/admission-control.ts';
import { FARGATE_POOLS, type FargatePool } from '../control/admission/container-capacity.ts';
import { type ItemTable, type ItemUpdate, itemKey, type TableItem } from './item-table.ts';

/** A box that was let in: asked of ECS, or started by it. */
export interface RunningContainerEntry {
  /** Of its launch (`launchName`). */
  readonly name: string;
  readonly pool: FargatePool;
  readonly shard: number;
  /** In 1/1,024 of a vCPU. */
  readonly cpu: number;
  /** When it was let in. */
  readonly at: string;
  /** Who has submitted its task. */
  readonly by: string;
  /** Of the ECS task; null as long as it is asked for, and nobody knows whether it runs. */
  readonly arn: string | null;
}

/** vCPUs in one item: the largest box that Fargate has fits, and what is written for each box stays small. */
const SHARD_CPU = 16 * 1_024;
/** Items that one box may be in: with several to choose from, room in the last ones is found. */
const CHOICES = 3;
const ENTRY = 'box:';
/** Attributes `wait:<launch>`: one that waits, for which room is kept. */
const WAIT = 'wait:';
/** Attributes `passed:<priority>`: boxes that went before that priority while it waited. */
const PASSED = 'passed:';

/** There is no room; `next`: what becomes free is kept for this launch and its like, when it asks again soon. */
export type CapacityRefusal = 'full' | 'next';

const partition = (pool: FargatePool): string => `${TABLE_ITEM_KEY_PREFIXES.container}${pool}`;
const keyOf = (pool: FargatePool, shard: number): TableItem =>
  itemKey(partition(pool), String(shard).padStart(6, '0'));

/**
 * The boxes that run or are asked for, and the vCPUs that they take together. An entry and what it adds are one conditional write of one
 * item, so that nothing is counted that is not listed; what is listed is looked at each minute, and taken out when it is gone.
 */
export class RunningContainerStore {
  readonly #table: ItemTable;
  readonly #limits: Readonly<Record<FargatePool, number>>;

  /** `limits` in 1/1,024 of a vCPU. */
  constructor(table: ItemTable, limits: Readonly<Record<FargatePool, number>>) {
    this.#table = table;
    this.#limits = limits;
  }

  /** Lets a box in, once: a repeat finds the entry of the first time. Who may take room that is free, says `canAdmitLaunch`. */
  async admit(
    ask: LaunchAdmissionRequest,
    pool: FargatePool,
    cpu: number,
    at: Date,
  ): Promise<RunningContainerEntry | CapacityRefusal> {
    const { name, by } = ask;
    const present = await this.find(name);
    if (present) return present;
    const now = Math.floor(at.getTime() / 1_000);
    const room = Math.floor(this.#limits[pool] / this.#shards(pool)) - cpu;
    let waits: CapacityRefusal = 'full';
    for (const [choice, shard] of this.#choices(name, pool).entries()) {
      const shares = capacitySharesOf((await this.#table.get(keyOf(pool, shard))) ?? {}, pool);
      const entry = { cpu, at: at.toISOString(), by, arn: null };
      const { counted, ended } = computePassedOverCounts(ask, shares, now);
      const passed = [...counted, ...ended].map((each) => [`#passed${each}`, `${PASSED}${each}`]);
      const isIn =
        room >= 0 &&
        canAdmitLaunch(ask, shares, now) &&
        (await this.#update(pool, shard, {
          UpdateExpression: `SET #entry = :entry REMOVE ${['#wait', ...ended.map((each) => `#passed${each}`)].join(', ')} ADD ${['#used :cpu', ...counted.map((each) => `#passed${each} :one`)].join(', ')}`,
          ConditionExpression:
            'attribute_not_exists(#entry) AND (attribute_not_exists(#used) OR #used <= :room)',
          ExpressionAttributeNames: {
            '#entry': ENTRY + name,
            '#used': 'used',
            '#wait': WAIT + name,
            ...Object.fromEntries(passed),
          },
          ExpressionAttributeValues: {
            ':entry': entry,
            ':cpu': cpu,
            ':room': room,
            ...(counted.length > 0 && { ':one': 1 }),
          },
        }));
      if (isIn) return { name, pool, shard, ...entry };
      // In one place only: in each, room would be kept.
      if (choice === 0 && (await this.#wait(pool, shard, ask, shares, now))) waits = 'next';
    }
    // Another delivery of the same message may have been quicker.
    return (await this.find(name)) ?? waits;
  }

  /** Has room kept for a launch that found none, and for none any longer that has not come for it. False: there is no place for its word. */
  async #wait(
    pool: FargatePool,
    shard: number,
    ask: LaunchAdmissionRequest,
    shares: LaunchAdmissionState,
    now: number,
  ): Promise<boolean> {
    const { isQueued, entry, expiredNames } = planLaunchWaitEntry(ask, shares, now);
    if (entry === null) return isQueued;
    const { name, ...word } = entry;
    const names = Object.fromEntries(expiredNames.map((other, at) => [`#over${at}`, WAIT + other]));
    const removed = expiredNames.length === 0 ? '' : ` REMOVE ${Object.keys(names).join(', ')}`;
    await this.#update(pool, shard, {
      UpdateExpression: `SET #wait = :word${removed}`,
      ExpressionAttributeNames: { '#wait': WAIT + name, ...names },
      ExpressionAttributeValues: { ':word': word },
    });
    return true;
  }

  /** Writes down as what ECS runs a box. Nothing when it is out already. */
  async recordStart({ name, pool, shard }: RunningContainerEntry, arn: string): Promise<void> {
    await this.#update(pool, shard, {
      UpdateExpression: 'SET #entry.#arn = :arn',
      ConditionExpression: 'attribute_exists(#entry)',
      ExpressionAttributeNames: { '#entry': ENTRY + name, '#arn': 'arn' },
      ExpressionAttributeValues: { ':arn': arn },
    });
  }

  /** Takes a box out. Nothing when it is out already. */
  async release({ name, pool, shard, cpu }: RunningContainerEntry): Promise<void> {
    await this.#update(pool, shard, {
      UpdateExpression: 'REMOVE #entry ADD #used :less',
      ConditionExpression: '#entry.#cpu = :cpu',
      ExpressionAttributeNames: { '#entry': ENTRY + name, '#cpu': 'cpu', '#used': 'used' },
      ExpressionAttributeValues: { ':less': -cpu, ':cpu': cpu },
    });
  }

  /** The entry of a box, read consistently. */
  async find(name: string): Promise<RunningContainerEntry | null> {
    for (const pool of FARGATE_POOLS)
      for (const shard of this.#choices(name, pool)) {
        const item = await this.#table.get(keyOf(pool, shard));
        const found = item && entriesOf(item, pool).find((each) => each.name === name);
        if (found) return found;
      }
    return null;
  }

  /** All boxes: as many as run and are asked for, which the limits bound. */
  async list(): Promise<readonly RunningContainerEntry[]> {
    const found: RunningContainerEntry[] = [];
    for (const pool of FARGATE_POOLS)
      for await (const item of this.#table.query({ pk: partition(pool), consistent: true }))
        found.push(...entriesOf(item, pool));
    return found;
  }

  #shards(pool: FargatePool): number {
    return Math.max(1, Math.floor(this.#limits[pool] / SHARD_CPU));
  }

  #choices(name: string, pool: FargatePool): number[] {
    const shards = this.#shards(pool);
    const first = createHash('sha256').update(name).digest().readUInt32BE(0) % shards;
    return [...new Set(Array.from({ length: CHOICES }, (_, at) => (first + at) % shards))];
  }

  /** False when the condition does not hold. */
  #update(pool: FargatePool, shard: number, update: ItemUpdate): Promise<boolean> {
    return this.#table.updateIf(keyOf(pool, shard), update);
  }
}

function capacitySharesOf(item: TableItem, pool: FargatePool): LaunchAdmissionState {
  const held = new Map<string, number>();
  for (const { by, cpu } of entriesOf(item, pool)) held.set(by, (held.get(by) ?? 0) + cpu);
  const waiting = Object.entries(item).flatMap(([key, word]): WaitingLaunchRequest[] => {
    if (!key.startsWith(WAIT)) return [];
    return [{ ...(word as Omit<WaitingLaunchRequest, 'name'>), name: key.slice(WAIT.length) }];
  });
  const passed = PRIORITIES.map((each) => [each, Number(item[`${PASSED}${each}`] ?? 0)] as const);
  return { heldBySubmitter: held, waiting, passedOver: new Map(passed) };
}

function entriesOf(item: TableItem, pool: FargatePool): RunningContainerEntry[] {
  return Object.entries(item).flatMap(([key, value]) => {
    if (!key.startsWith(ENTRY)) return [];
    const { cpu, at, by, arn } = value as Pick<RunningContainerEntry, 'cpu' | 'at' | 'by' | 'arn'>;
    return [
      {
        name: key.slice(ENTRY.length),
        pool,
        shard: Number(item[TASKS_TABLE_KEY_ATTRIBUTES.sk]),
        cpu,
        at,
        by,
        arn,
      },
    ];
  });
}
