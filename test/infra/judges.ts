export const secret = (name: string) => `arn:aws:secretsmanager:us-east-1:123456789012:secret:${name}-AbCdEf`;
const keyed = (name: string) => ({ via: 'secret', arn: secret(name) });

/** Models of several providers that are asked for opinions, as the context says them. */
export const JUDGES = JSON.stringify({
  judge: { provider: 'anthropic', model: 'claude-opus-5-5', key: keyed('janitor') },
  vision: { provider: 'google', model: 'gemini-2.5-pro', supports_vision: true, key: keyed('pictures') },
  intent: { provider: 'openai', model: 'gpt-5.5', key: keyed('gates') },
  cross_model: [{ provider: 'bedrock', model: 'us.anthropic.claude-haiku-4-5' }],
});
