import { FUNCTION_ENV } from './function-env-values.ts';

// Import this before any handler, in a file with a process of its own.
Object.assign(process.env, FUNCTION_ENV);
