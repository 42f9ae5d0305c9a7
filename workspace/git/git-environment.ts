/** What git may do besides reading and writing its own store. */
export interface GitProcessPermissions {
  /** Value of an Authorization header for `url`; kept in the environment of one git process, never in a file or argument. */
  readonly authorization?: string | null;
  /** The only place that the authorization is sent to. */
  readonly url?: string;
  /** Allows file:// repositories: the embedded default and tests only. */
  readonly allowFile?: boolean;
}

/** Settings that replace whatever system, user or repository would say. */
const SETTINGS: readonly (readonly [string, string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.attributesFile', '/dev/null'],
  ['core.excludesFile', '/dev/null'],
  ['core.autocrlf', 'false'],
  ['core.symlinks', 'true'],
  ['core.protectHFS', 'true'],
  ['core.protectNTFS', 'true'],
  ['core.quotePath', 'false'],
  ['core.pager', 'cat'],
  ['credential.helper', ''],
  ['http.followRedirects', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['submodule.recurse', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['advice.detachedHead', 'false'],
  ['commit.gpgSign', 'false'],
  ['push.gpgSign', 'false'],
];

/** `http.<url>.extraHeader` for the repository's own URL, so that no other host and no other repository ever sees the header. */
const headerSettings = (access: GitProcessPermissions): readonly (readonly [string, string])[] =>
  access.authorization && access.url?.startsWith('https://')
    ? [[`http.${access.url}.extraHeader`, `Authorization: ${access.authorization.replace(/[\r\n]/g, '')}`]]
    : [];

/**
 * The whole environment of a git process: no system or user configuration, no hooks, no credential helpers, no
 * prompts, and only the protocols that were asked for.
 */
export function buildGitEnvironment(access: GitProcessPermissions = {}): Record<string, string> {
  const settings = [...SETTINGS, ...headerSettings(access)];
  const environment: Record<string, string> = {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: '/nonexistent',
    LC_ALL: 'C',
    TZ: 'UTC',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'false',
    SSH_ASKPASS: 'false',
    GIT_SSH_COMMAND: 'ssh -oBatchMode=yes',
    GIT_ALLOW_PROTOCOL: access.allowFile ? 'https:ssh:file' : 'https:ssh',
    GIT_PROTOCOL_FROM_USER: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_CONFIG_COUNT: String(settings.length),
  };
  settings.forEach(([key, value], index) => {
    environment[`GIT_CONFIG_KEY_${index}`] = key;
    environment[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  for (const name of [
    'SSH_AUTH_SOCK',
    'SSL_CERT_FILE',
    'GIT_SSL_CAINFO',
    'HTTPS_PROXY',
    'https_proxy',
    'NO_PROXY',
    'no_proxy',
  ]) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  return environment;
}
