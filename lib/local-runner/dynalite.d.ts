/** The part of dynalite that the local runner uses; the package brings no types. */
declare module 'dynalite' {
  import type { Server } from 'node:http';

  export default function dynalite(options: {
    /** Folder of the LevelDB store; in memory when absent. */
    path?: string;
    /** How long a table stays in state CREATING, in milliseconds. */
    createTableMs?: number;
  }): Server;
}
