import { runBox } from '../supervisor/box.ts';

// Each command loads only what it needs: delivering must start without gates, and cannot run one.
const command = process.argv[2] ?? 'gates';
if (command === 'gates') await runBox('gates', (await import('./gates.ts')).runGates);
else if (command === 'deliver') await runBox('deliver', (await import('./deliver.ts')).deliver);
else {
  console.error(`unknown command "${command}"; known: gates, deliver`);
  process.exit(2);
}
