import type { Failure, Json } from '../protocol.ts';

export const openaiError = ({ openai: code, anthropic, message }: Failure): Json => ({
  error: { message, type: code === 'insufficient_quota' ? code : anthropic, param: null, code },
});
