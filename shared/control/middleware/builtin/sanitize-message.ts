import type { MakeMiddleware } from '../run-context.ts';
import { sanitise } from '../sanitise.ts';

/** Text of others in a message of the platform comes without places, addresses and what looks like a role of the chat. The task itself is not touched. */
export const sanitizeMessage: MakeMiddleware = ({ notes }) => ({
  name: 'sanitize_message',
  async before_model(context) {
    if (context.quoted.length === 0) return context;
    const quoted = context.quoted.map((text) => sanitise(text));
    notes.fact('sanitize_message.texts', quoted.length);
    if (quoted.some((text) => text.includes('[FILTERED]')))
      notes.found({
        by: 'sanitize_message',
        kind: 'observed',
        code: 'filtered',
        detail: 'text of others looked like instructions or a role of the chat',
      });
    return { ...context, quoted };
  },
});
