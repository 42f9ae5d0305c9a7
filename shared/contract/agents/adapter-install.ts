import { AGENT_CLI_KINDS, AGENT_CLI_MANIFESTS } from './adapter-manifests.ts';

/** File beside `containers/agent/install-clis.ts` in the image. */
export const CLI_VERSION_PINS_FILE = 'cli-versions.json';
/** Content of that file: the pinned package of each kind. */
export const renderCliVersionPins = (): string =>
  `${JSON.stringify(
    Object.fromEntries(AGENT_CLI_KINDS.map((kind) => [kind, AGENT_CLI_MANIFESTS[kind].install])),
    null,
    2,
  )}\n`;
