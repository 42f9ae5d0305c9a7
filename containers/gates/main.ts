import { runContainerWork } from '../../workspace/supervisor/container.ts';
import { runGates } from './run-gates.ts';

await runContainerWork({
  gates: runGates,
  // Loaded only for a challenge: most of a container's time is its start.
  challenger: async (assignment, box) => (await import('./run-challenger.ts')).runChallenger(assignment, box),
});
