import { logger } from './logger.ts';

/** What a call was about, in the words of our messages. */
const LOGGED_FIELDS = ['task_id', 'run', 'attempt', 'step', 'launch_name'] as const;

/** The names that an event holds, or its detail where it comes from a bus. */
function aboutEvent(event: unknown): object {
  const { detail, ...own } = (event ?? {}) as Readonly<Record<string, unknown>>;
  const given: Readonly<Record<string, unknown>> = { ...(detail as object | undefined), ...own };
  return Object.fromEntries(LOGGED_FIELDS.flatMap((name) => (name in given ? [[name, given[name]]] : [])));
}

/**
 * Has an error that ends a function written in its log as one that is counted, with what it was about: what Lambda itself writes of it is no
 * line of that form. It is thrown on, so whoever has called tries again.
 */
export const withErrorLogging =
  <Event, Rest extends readonly unknown[], Answer>(
    handle: (event: Event, ...rest: Rest) => Promise<Answer>,
    about: (event: Event) => object = aboutEvent,
  ): ((event: Event, ...rest: Rest) => Promise<Answer>) =>
  async (event, ...rest) => {
    try {
      return await handle(event, ...rest);
    } catch (error) {
      logger.error('the function has failed', { ...about(event), error });
      throw error;
    }
  };
