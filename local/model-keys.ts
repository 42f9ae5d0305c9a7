import { ENV } from '../shared/names.ts';

/** The variables that people have for the vendors' own clients. */
const VENDORS = {
  anthropic: { key: 'ANTHROPIC_API_KEY', url: 'ANTHROPIC_BASE_URL' },
  openai: { key: 'OPENAI_API_KEY', url: 'OPENAI_BASE_URL' },
  gemini: { key: 'GEMINI_API_KEY', url: 'GOOGLE_GEMINI_BASE_URL' },
} as const;

/**
 * Takes the keys of models out of this process's environment, so that no process it starts inherits them, and makes of them what the
 * function that reaches the providers gets in its thread. Without any key that function has no provider, and says so.
 */
export function takeModelKeys(environment: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const lent: Record<string, string> = {};
  const providers: Record<string, unknown> = {};
  for (const [name, { key, url }] of Object.entries(VENDORS)) {
    const value = environment[key];
    const base = environment[url];
    delete environment[key];
    if (!value) continue;
    lent[key] = value;
    providers[name] = { via: 'environment', variable: key, ...(base && { url: base }) };
  }
  return { ...lent, [ENV.modelProviders]: JSON.stringify(providers) };
}
