import { runBox } from '../../workspace/supervisor/box.ts';
import { runGates } from './gates.ts';

await runBox('gates', runGates);
