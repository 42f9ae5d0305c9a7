import type { ProviderStatusList } from '../../api/cascade-schemas.ts';
import { PROVIDERS, type ProviderName } from '../../contract/models/protocols.ts';
import { determineProviderState } from '../../control/cascade/provider-cooldown.ts';
import type { ProviderCooldownStore } from '../../store/provider-cooldowns.ts';

/** Lists all providers with their state; one without failures is closed. */
export async function listProviderStatus(
  store: Pick<ProviderCooldownStore, 'listCooldowns'>,
  now: Date,
): Promise<ProviderStatusList> {
  const found = await store.listCooldowns();
  return {
    providers: PROVIDERS.map((provider) => {
      const cooldown = found.find((each) => each.provider === provider);
      return {
        provider,
        state: cooldown ? determineProviderState(cooldown, now) : 'closed',
        since: cooldown?.since ?? null,
        until: cooldown?.until ?? null,
        reason: cooldown?.reason ?? null,
        consecutive_failures: cooldown?.consecutive_failures ?? 0,
        probe: cooldown?.probe?.task ?? null,
        cleared: cooldown?.cleared ?? null,
      };
    }),
  };
}

/** Ends the pause of a provider. Tasks that wait for it look again within five minutes. */
export async function clearProvider(
  provider: ProviderName,
  note: { readonly by: string; readonly reason: string },
  store: Pick<ProviderCooldownStore, 'listCooldowns' | 'clear'>,
  now: Date,
): Promise<ProviderStatusList> {
  await store.clear(provider, note, now);
  return listProviderStatus(store, now);
}
