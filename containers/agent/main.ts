import { runContainerWork } from '../../workspace/supervisor/container.ts';
import { runAgent } from './run-agent.ts';

await runContainerWork({ agent: runAgent });
