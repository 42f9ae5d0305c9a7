import { runBox } from '../../workspace/supervisor/box.ts';
import { runAgent } from './agent.ts';

await runBox('agent', runAgent);
