import type { MiddlewareFactory } from '../run-context.ts';
import { sanitizeText } from '../sanitize-text.ts';

/** Text of others in a message of the platform comes without places, addresses and what looks like a role of the chat. The task itself is not touched. */
export const createSanitizeMessageMiddleware: MiddlewareFactory = ({ recorder }) => ({
  name: 'sanitize_message',
  async before_model(context) {
    if (context.quotedTexts.length === 0) return context;
    const quoted = context.quotedTexts.map((text) => sanitizeText(text));
    recorder.setFact('sanitize_message.texts', quoted.length);
    if (quoted.some((text) => text.includes('[FILTERED]')))
      recorder.addFinding({
        middleware: 'sanitize_message',
        kind: 'observed',
        code: 'filtered',
        detail: 'text of others looked like instructions or a role of the chat',
      });
    return { ...context, quotedTexts: quoted };
  },
});
