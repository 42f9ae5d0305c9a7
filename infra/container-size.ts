import * as z from 'zod';
import { DELIVERY_LIMIT_SECONDS } from '../shared/contract/resource-names.ts';

/** Memory in MiB that Fargate offers for each vCPU share (1,024 is one vCPU), beside steps: [least, most, step]. */
const MEMORY: Readonly<Record<number, readonly [number, number, number]>> = {
  256: [512, 2_048, 512],
  512: [1_024, 4_096, 1_024],
  1024: [2_048, 8_192, 1_024],
  2048: [4_096, 16_384, 1_024],
  4096: [8_192, 30_720, 1_024],
  8192: [16_384, 61_440, 4_096],
  16384: [32_768, 122_880, 8_192],
};

/** How big a box is. Modest by default: too big shows as a bill only, too small shows as a task that says so. */
export const FargateContainerSize = z
  .strictObject({
    /** 1/1,024 of a vCPU. */
    cpu: z.number(),
    /** MiB. */
    memory: z.number(),
    /** GiB of ephemeral storage. 20 come without charge. */
    disk: z.number().int().min(21).max(200).optional(),
  })
  .superRefine(({ cpu, memory }, context) => {
    const [least, most, step] = MEMORY[cpu] ?? [];
    if (least === undefined || most === undefined || step === undefined)
      context.addIssue({
        code: 'custom',
        path: ['cpu'],
        message: `must be one of ${Object.keys(MEMORY).join(', ')}`,
      });
    else if (memory < least || memory > most || memory % step !== 0)
      context.addIssue({
        code: 'custom',
        path: ['memory'],
        message: `must be ${least} to ${most} in steps of ${step} with ${cpu} of cpu`,
      });
  });
export type FargateContainerSize = z.infer<typeof FargateContainerSize>;

/** What one delivery may use, within what Lambda offers. */
export const DeliveryFunctionSize = z.strictObject({
  /** MiB; the share of a CPU grows with it, one at 1,769. */
  memory: z.int().min(512).max(10_240).default(1_769),
  /** MiB in /tmp; 512 come without charge. What a repository weighs at one commit, packed. */
  disk: z.int().min(512).max(10_240).default(2_048),
  /** Its last minute is for saying why it has not ended. */
  seconds: z.int().min(120).max(DELIVERY_LIMIT_SECONDS.run).default(DELIVERY_LIMIT_SECONDS.run),
});
export type DeliveryFunctionSize = z.infer<typeof DeliveryFunctionSize>;
