import { runContainer } from '../../workspace/supervisor/container.ts';
import { runGates } from './run-gates.ts';

await runContainer('gates', runGates);
