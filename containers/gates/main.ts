import { runContainerWork } from '../../workspace/supervisor/container.ts';
import { runGates } from './run-gates.ts';

await runContainerWork('gates', runGates);
