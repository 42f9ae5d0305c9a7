declare module 'dynalite' {
  import type { Server } from 'node:http';

  /** Without `path` the tables are in memory. The times are how long a table stays in a state of transition. */
  export default function dynalite(options: {
    path?: string;
    createTableMs?: number;
    deleteTableMs?: number;
    updateTableMs?: number;
  }): Server;
}
