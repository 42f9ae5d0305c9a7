import { runContainer } from '../../workspace/supervisor/box.ts';
import { runAgent } from './agent.ts';

await runContainer('agent', runAgent);
