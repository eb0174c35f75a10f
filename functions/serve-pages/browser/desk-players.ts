/** The script of the players at the desk. */
import { refreshPlayers } from './refresh-players.ts';

refreshPlayers(document);
