import { runBox } from '../supervisor/box.ts';
import { deliver } from './deliver.ts';

await runBox('deliver', deliver);
