import * as z from 'zod';
import { CONTAINER_KINDS, type ContainerKind } from '../../contract/box-kind.ts';

/** What Fargate has a quota of vCPUs for, each its own. */
export const POOLS = ['on_demand', 'spot'] as const;
export type Pool = (typeof POOLS)[number];

/** CPU units of one vCPU. */
export const CPU_UNITS = 1_024;
/** In CPU units. */
const Cpu = z.int().positive();
const Box = z.strictObject({ cpu: Cpu, pool: z.enum(POOLS) });

/** How large boxes are, where they run, and how much may run at once. */
export const BoxRoom = z.strictObject({
  limits: z.strictObject({ on_demand: Cpu, spot: Cpu }),
  boxes: z.record(z.enum(CONTAINER_KINDS), Box),
});
export type BoxRoom = z.infer<typeof BoxRoom>;

/** How often a launch finds no room on Spot before it asks for what is not taken away. With the pauses between, that is a minute. */
const SPOT_TRIES = 5;

/** Where a box of `kind` is to run when its message has come for the `receive`-th time. */
export const poolFor = (room: BoxRoom, kind: ContainerKind, receive: number): Pool =>
  receive > SPOT_TRIES ? 'on_demand' : room.boxes[kind].pool;
