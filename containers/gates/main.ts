import { runBox } from '../supervisor/box.ts';
import { runGates } from './gates.ts';

await runBox('gates', runGates);
