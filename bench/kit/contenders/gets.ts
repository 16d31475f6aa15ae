/** Reads one after another through the kit's client. */
import type { Gets } from '../../limits/gets.ts';
import type { Contend } from '../../measure/contender.ts';
import { countSockets } from '../../measure/sockets.ts';
import { kitConnection } from '../../world/access.ts';
import { configMapName } from '../../world/config-maps.ts';
import { CONFIG_MAPS } from '../config-map-resource.ts';

const gets: Contend<Gets> = async ({ access, requests }, meter) => {
  const sockets = countSockets();
  const { client, close } = kitConnection(access);
  await meter.measure('gets', async () => {
    for (let i = 0; i < requests; i++) await client.get(CONFIG_MAPS, { namespace: 'default', name: configMapName(0) });
  });
  meter.count('connections', sockets());
  await close();
};

export default gets;
