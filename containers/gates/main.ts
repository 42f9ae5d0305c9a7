import { runBox } from '../supervisor/box.ts';
import { deliver } from './deliver.ts';
import { runGates } from './gates.ts';

const command = process.argv[2] ?? 'gates';
if (command === 'gates') await runBox('gates', runGates);
else if (command === 'deliver') await runBox('deliver', deliver);
else {
  console.error(`unknown command "${command}"; known: gates, deliver`);
  process.exit(2);
}
