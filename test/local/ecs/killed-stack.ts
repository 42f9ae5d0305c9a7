import { startEcs } from './support.ts';

// A stack with one box, for a test to kill: the box ends when its standard input does.
const ecs = await startEcs(`
  import { createRequire } from 'node:module';
  const require = createRequire(import.meta.url);
  ${process.argv[2] ?? ''}
  process.stdin.on('end', () => process.exit(0)).resume();
`);
await ecs.run();
