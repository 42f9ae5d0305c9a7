import type { ProviderStatusList } from '../../shared/api/cascade-schemas.ts';
import { PROVIDERS } from '../../shared/contract/models/protocols.ts';
import { toOneLine } from '../output/text.ts';
import { defineArgument } from '../parameters.ts';
import { defineRouteCommand } from '../server-command.ts';
import type { ServerCommandSession } from '../session.ts';
import { REQUIRED_REASON_OPTION } from '../shared-options.ts';

const STATES: Readonly<Record<ProviderStatusList['providers'][number]['state'], string>> = {
  closed: 'in use',
  open: 'paused',
  half_open: 'tried by one task at a time',
};

function renderProviders({ providers }: ProviderStatusList, session: ServerCommandSession): string {
  return session.table(
    [
      { title: 'PROVIDER' },
      { title: 'STATE' },
      { title: 'UNTIL', optional: true },
      { title: 'OUTAGES', align: 'right' },
      { title: 'REASON', shrinkTo: 12 },
      { title: 'CLEARED BY', shrinkTo: 8, optional: true },
    ],
    providers.map(({ provider, state, until, consecutive_failures, reason, probe, cleared }) => [
      { text: provider, style: session.out.bold },
      probe && state === 'half_open' ? `tried by ${toOneLine(probe)}` : STATES[state],
      state === 'open' ? (until ?? '') : '',
      String(consecutive_failures),
      consecutive_failures > 0 ? (reason ?? '') : '',
      cleared ? `${toOneLine(cleared.by)}: ${toOneLine(cleared.reason)}` : '',
    ]),
  );
}

/** `providers`: which model providers are paused after outages. */
export const providerCommands = [
  defineRouteCommand({
    name: 'providers show',
    isDefault: true,
    route: 'listProviders',
    description: 'Show which model providers are paused after outages, and until when',
    request: () => ({}),
    view: renderProviders,
    examples: [
      ['providers show', 'state, end of the pause, and outages in a row'],
      ['providers --json | jq \'.providers[] | select(.state == "open")\'', 'paused providers'],
    ],
  }),
  defineRouteCommand({
    name: 'providers clear',
    route: 'clearProvider',
    description: 'End the pause of a model provider',
    arguments: { provider: defineArgument('<provider>', 'provider', PROVIDERS) },
    options: { reason: REQUIRED_REASON_OPTION },
    request: ({ provider, reason }) => ({ provider, body: { reason } }),
    view: renderProviders,
    examples: [['providers clear anthropic --reason "the key was exchanged"', 'its tasks start again']],
  }),
];
