/** The limit of writes side by side: bare PATCHes over undici, as many at a time as there are connections or streams. */
import type { Contend } from '../measure/contender.ts';
import { countSockets } from '../measure/sockets.ts';
import { type Access, bareHeaders, barePool } from '../world/access.ts';
import { configMapPath } from '../world/config-maps.ts';

export interface Patches {
  readonly access: Access;
  readonly objects: number;
  readonly requests: number;
  readonly connections: number;
  readonly http2?: boolean;
}

const patches: Contend<Patches> = async ({ access, objects, requests, connections, http2 = false }, meter) => {
  const sockets = countSockets();
  const pool = barePool(access, { connections, http2 });
  const headers = { ...bareHeaders(access), 'content-type': 'application/merge-patch+json' };
  const patch = async (index: number) => {
    const body = JSON.stringify({ metadata: { labels: { round: `${index}` } } });
    const answer = await pool.request({ path: configMapPath(index % objects), method: 'PATCH', headers, body });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`a PATCH was answered by ${answer.statusCode}: ${text}`);
    JSON.parse(text);
  };
  await meter.measure('patches', async () => {
    await Promise.all(Array.from({ length: requests }, (_, index) => patch(index)));
  });
  meter.count('connections', sockets());
  await pool.destroy();
};

export default patches;
