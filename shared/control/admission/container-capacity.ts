import * as z from 'zod';
import { CONTAINER_KINDS, type ContainerKind } from '../../contract/launch-kind.ts';

/** What Fargate has a quota of vCPUs for, each its own. */
export const FARGATE_POOLS = ['on_demand', 'spot'] as const;
export type FargatePool = (typeof FARGATE_POOLS)[number];

/** CPU units of one vCPU. */
export const CPU_UNITS_PER_VCPU = 1_024;
/** In CPU units. */
const CpuUnits = z.int().positive();
const ContainerSize = z.strictObject({ cpu: CpuUnits, pool: z.enum(FARGATE_POOLS) });

/** How large boxes are, where they run, and how much may run at once. */
export const ContainerCapacity = z.strictObject({
  limits: z.strictObject({ on_demand: CpuUnits, spot: CpuUnits }),
  containers: z.record(z.enum(CONTAINER_KINDS), ContainerSize),
});
export type ContainerCapacity = z.infer<typeof ContainerCapacity>;

/** How often a launch finds no room on Spot before it asks for what is not taken away. With the pauses between, that is a minute. */
const MAX_SPOT_TRIES = 5;

/** Where a box of `kind` is to run when its message has come for the `receive`-th time. */
export const chooseFargatePool = (
  room: ContainerCapacity,
  kind: ContainerKind,
  receive: number,
): FargatePool => (receive > MAX_SPOT_TRIES ? 'on_demand' : room.containers[kind].pool);
