/** The limit of reads one after another: undici with nothing around it, on one connection, each answer parsed. */
import type { Contend } from '../measure/contender.ts';
import { countSockets } from '../measure/sockets.ts';
import { type Access, bareHeaders, barePool } from '../world/access.ts';
import { configMapPath } from '../world/config-maps.ts';

export interface Gets {
  readonly access: Access;
  readonly requests: number;
}

const gets: Contend<Gets> = async ({ access, requests }, meter) => {
  const sockets = countSockets();
  const pool = barePool(access, { connections: 1 });
  const headers = bareHeaders(access);
  await meter.measure('gets', async () => {
    for (let i = 0; i < requests; i++) {
      const { body } = await pool.request({ path: configMapPath(0), method: 'GET', headers });
      await body.json();
    }
  });
  meter.count('connections', sockets());
  await pool.destroy();
};

export default gets;
