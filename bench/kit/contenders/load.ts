/** Loads a client, and nothing else. */
import type { Contend } from '../../measure/contender.ts';

export interface Load {
  /** The URL of the client's module. */
  readonly client: string;
}

const load: Contend<Load> = async ({ client }, meter) => {
  await meter.measure('load', () => import(client));
};

export default load;
