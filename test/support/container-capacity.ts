import type { LaunchAdmissionRequest } from '../../shared/control/admission/admission-control.ts';
import type { ContainerCapacity, FargatePool } from '../../shared/control/admission/container-capacity.ts';
import type { LaunchIdentity, LaunchStore } from '../../shared/store/launches.ts';
import type { RunningContainerEntry, RunningContainerStore } from '../../shared/store/running-containers.ts';

export const CONTAINER_CAPACITY: ContainerCapacity = {
  limits: { on_demand: 6_144, spot: 6_144 },
  containers: {
    agent: { cpu: 1_024, pool: 'on_demand' },
    gates: { cpu: 1_024, pool: 'spot' },
  },
};

/** A register in memory with room for `most` boxes. */
export function createContainerRegister(
  most: number,
): RunningContainerStore & { readonly held: Map<string, RunningContainerEntry> } {
  const held = new Map<string, RunningContainerEntry>();
  return {
    held,
    find: async (name: string) => held.get(name) ?? null,
    admit: async ({ name, by }: LaunchAdmissionRequest, pool: FargatePool, cpu: number, now: Date) => {
      const entry = held.get(name) ?? { name, pool, cpu, by, shard: 0, at: now.toISOString(), arn: null };
      if (!held.has(name) && held.size >= most) return 'full';
      held.set(name, entry);
      return entry;
    },
    recordStart: async (entry: RunningContainerEntry, arn: string) =>
      void held.set(entry.name, { ...entry, arn }),
    release: async ({ name }: RunningContainerEntry) => void held.delete(name),
    list: async () => [...held.values()],
  } as unknown as RunningContainerStore & { readonly held: Map<string, RunningContainerEntry> };
}

/** Has room for every box. */
export const UNLIMITED_REGISTER = createContainerRegister(Number.POSITIVE_INFINITY);

/** Launches in memory. `forget` has the next ones be unknown, as those that only a task item names. */
export function createLaunches(): LaunchStore & { readonly forget: () => void } {
  const known = new Map<string, LaunchIdentity>();
  return {
    forget: () => known.clear(),
    record: async (...[, , , launch]: Parameters<LaunchStore['record']>) =>
      void known.set(launch.token_sha256, launch),
    isRecorded: async (...[, , , launch]: Parameters<LaunchStore['isRecorded']>) => {
      const { number, assignment_key } = known.get(launch.token_sha256) ?? {};
      return number === launch.number && assignment_key === launch.assignment_key;
    },
  } as unknown as LaunchStore & { readonly forget: () => void };
}
