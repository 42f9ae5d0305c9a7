import type { BoxRoom, Pool } from '../../shared/control/admission/box-room.ts';
import type { Ask } from '../../shared/control/admission/fair-share.ts';
import type { BoxRegister, RegisteredBox } from '../../shared/store/box-register.ts';

export const ROOM: BoxRoom = {
  limits: { on_demand: 6_144, spot: 6_144 },
  boxes: {
    agent: { cpu: 1_024, pool: 'on_demand' },
    gates: { cpu: 1_024, pool: 'spot' },
  },
};

/** A register in memory with room for `most` boxes. */
export function registerOf(most: number): BoxRegister & { readonly held: Map<string, RegisteredBox> } {
  const held = new Map<string, RegisteredBox>();
  return {
    held,
    find: async (name: string) => held.get(name) ?? null,
    admit: async ({ name, by }: Ask, pool: Pool, cpu: number, now: Date) => {
      const entry = held.get(name) ?? { name, pool, cpu, by, shard: 0, at: now.toISOString(), arn: null };
      if (!held.has(name) && held.size >= most) return 'full';
      held.set(name, entry);
      return entry;
    },
    started: async (entry: RegisteredBox, arn: string) => void held.set(entry.name, { ...entry, arn }),
    release: async ({ name }: RegisteredBox) => void held.delete(name),
    list: async () => [...held.values()],
  } as unknown as BoxRegister & { readonly held: Map<string, RegisteredBox> };
}

/** Has room for every box. */
export const ROOMY = registerOf(Number.POSITIVE_INFINITY);
