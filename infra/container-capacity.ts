import { CONTAINER_KINDS, type ContainerKind } from '../shared/contract/launch-kind.ts';
import {
  type ContainerCapacity,
  CPU_UNITS_PER_VCPU,
} from '../shared/control/admission/container-capacity.ts';
import type { FargateContainerSize } from './container-size.ts';

export interface ContainerCapacitySettings {
  readonly agentContainer: FargateContainerSize;
  readonly gatesContainer: FargateContainerSize;
  /** vCPUs. */
  readonly vcpus: number;
  readonly spotVcpus: number;
  readonly spot: readonly ContainerKind[];
}

/** What the settings say about boxes, as the dispatcher reads it. */
export function buildContainerCapacity({
  agentContainer,
  gatesContainer,
  vcpus,
  spotVcpus,
  spot,
}: ContainerCapacitySettings): ContainerCapacity {
  const cpu: Record<ContainerKind, number> = { agent: agentContainer.cpu, gates: gatesContainer.cpu };
  return {
    limits: { on_demand: vcpus * CPU_UNITS_PER_VCPU, spot: spotVcpus * CPU_UNITS_PER_VCPU },
    containers: Object.fromEntries(
      CONTAINER_KINDS.map((kind) => [
        kind,
        { cpu: cpu[kind], pool: spot.includes(kind) ? 'spot' : 'on_demand' },
      ]),
    ) as ContainerCapacity['containers'],
  };
}

/** What is wrong with them: a box for which there is never room waits for ever. */
export function findContainerCapacityProblem(
  settings: ContainerCapacitySettings,
): { path: string[]; message: string } | null {
  const { limits, containers: boxes } = buildContainerCapacity(settings);
  // Also those of Spot: what finds no room there for a while runs on demand.
  for (const [kind, { cpu, pool }] of Object.entries(boxes))
    for (const each of new Set([pool, 'on_demand' as const]))
      if (cpu > limits[each])
        return {
          path: [each === 'spot' ? 'spotVcpus' : 'vcpus'],
          message: `is less than the ${cpu / CPU_UNITS_PER_VCPU} vCPUs of the ${kind} box`,
        };
  return null;
}
