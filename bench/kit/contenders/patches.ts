/** Writes side by side through the kit's client. */
import type { Patches } from '../../limits/patches.ts';
import type { Contend } from '../../measure/contender.ts';
import { countSockets } from '../../measure/sockets.ts';
import { kitConnection } from '../../world/access.ts';
import { configMapName } from '../../world/config-maps.ts';
import { CONFIG_MAPS } from '../config-map-resource.ts';

const patches: Contend<Patches> = async ({ access, objects, requests, connections }, meter) => {
  const sockets = countSockets();
  const { client, close } = kitConnection(access, connections);
  const patch = (index: number) => {
    const ref = { namespace: 'default', name: configMapName(index % objects) };
    return client.mergePatch(CONFIG_MAPS, ref, { metadata: { labels: { round: `${index}` } } });
  };
  await meter.measure('patches', async () => {
    await Promise.all(Array.from({ length: requests }, (_, index) => patch(index)));
  });
  meter.count('connections', sockets());
  await close();
};

export default patches;
