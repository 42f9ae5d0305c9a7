import type { Execution } from './execution.ts';

/** The history as the API shows it: the start, each state entered and left, and the end. */
export function historyEvents({ events, input }: Execution): readonly object[] {
  return events.map(({ time, type, details }, index) => ({
    timestamp: time / 1_000,
    id: index + 1,
    previousEventId: index,
    type,
    ...detailsOf(type, details, input),
  }));
}

function detailsOf(type: string, details: Readonly<Record<string, unknown>>, input: string): object {
  if (type === 'ExecutionStarted') return { executionStartedEventDetails: { input } };
  const name = details['name'];
  if (type.endsWith('StateEntered')) {
    return { stateEnteredEventDetails: { name, input: JSON.stringify(details['input']) } };
  }
  if (type.endsWith('StateExited')) {
    return { stateExitedEventDetails: { name, output: JSON.stringify(details['output']) } };
  }
  return { [`${type.charAt(0).toLowerCase()}${type.slice(1)}EventDetails`]: details };
}
