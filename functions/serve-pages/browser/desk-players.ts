/** The script of the desk's players. */
import { refreshPlayers } from './refresh-players.ts';

refreshPlayers(document);
