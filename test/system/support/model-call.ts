/** Calls a model as a CLI does, with what the box has in its environment; `status` and `text` are in scope afterwards. */
export const calls = (fields = ''): string => `
  const answer = await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + process.env.ANTHROPIC_AUTH_TOKEN, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model, max_tokens: 1000, stream: true, messages: [{ role: 'user', content: 'Make sum add' }] ${fields} }),
  });
  const [status, text] = [answer.status, await answer.text()];`;
