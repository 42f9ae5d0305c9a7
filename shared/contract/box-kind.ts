import * as z from 'zod';

export const BOX_KINDS = ['agent', 'gates', 'deliver'] as const;
export const BoxKind = z.enum(BOX_KINDS);
export type BoxKind = z.infer<typeof BoxKind>;
/** Those that run in a container on Fargate; what delivers is a function. */
export const CONTAINER_KINDS = ['agent', 'gates'] as const satisfies readonly BoxKind[];
export type ContainerKind = (typeof CONTAINER_KINDS)[number];
