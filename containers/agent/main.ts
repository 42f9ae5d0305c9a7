import { runContainer } from '../../workspace/supervisor/container.ts';
import { runAgent } from './run-agent.ts';

await runContainer('agent', runAgent);
