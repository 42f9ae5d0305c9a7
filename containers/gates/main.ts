import { runContainer } from '../../workspace/supervisor/box.ts';
import { runGates } from './gates.ts';

await runContainer('gates', runGates);
