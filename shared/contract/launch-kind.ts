import * as z from 'zod';

export const LAUNCH_KINDS = ['agent', 'gates', 'challenger', 'deliver'] as const;
export const LaunchKind = z.enum(LAUNCH_KINDS);
export type LaunchKind = z.infer<typeof LaunchKind>;
/** Those that run in a container on Fargate; what delivers is a function. */
export const CONTAINER_KINDS = ['agent', 'gates'] as const satisfies readonly LaunchKind[];
export type ContainerKind = (typeof CONTAINER_KINDS)[number];
/** Container that runs each launch. A challenger needs the toolchains of the gates, so it runs in their image. */
export const CONTAINER_OF_LAUNCH = {
  agent: 'agent',
  gates: 'gates',
  challenger: 'gates',
} as const satisfies Record<Exclude<LaunchKind, 'deliver'>, ContainerKind>;
