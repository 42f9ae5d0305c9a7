import type { Json, ProviderFailure } from '../model-protocol.ts';

export const buildOpenaiError = ({ openai: code, anthropic, message }: ProviderFailure): Json => ({
  error: { message, type: code === 'insufficient_quota' ? code : anthropic, param: null, code },
});
