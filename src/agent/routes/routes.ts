/** All that can be asked of an agent. */
import {
  BLOBS_PATH,
  DECOMMISSION_PATH,
  QUARANTINE_PATH,
  RECOMMISSION_PATH,
  STATUS_PATH,
} from '../../pool-client/protocol.ts';
import { deleteBlob } from './delete-blob.ts';
import { getBlob } from './get-blob.ts';
import { giveUpBlob } from './give-up-blob.ts';
import { listBlobs, listDamaged } from './list-blobs.ts';
import { decommission, recommission, status } from './manage.ts';
import { alive, type MetricsPage, metrics, ready } from './pages.ts';
import { type PutParts, putBlob } from './put-blob.ts';
import { at, type Resource, type Route } from './route.ts';

const reads = (route: Route) => ({ GET: route, HEAD: route });

export function resourcesOf(parts: PutParts, registry: MetricsPage): readonly Resource[] {
  const { agent } = parts;
  return [
    {
      owns: (path) => path.startsWith(`${BLOBS_PATH}/`),
      methods: { ...reads(getBlob(agent)), PUT: putBlob(parts), DELETE: deleteBlob(agent) },
    },
    { owns: at(BLOBS_PATH), methods: reads(listBlobs(agent.store)) },
    { owns: at(QUARANTINE_PATH), methods: reads(listDamaged(agent.store)) },
    { owns: (path) => path.startsWith(`${QUARANTINE_PATH}/`), methods: { DELETE: giveUpBlob(agent.store) } },
    { owns: at(STATUS_PATH), methods: reads(status(agent)), open: 'by-option' },
    { owns: at(DECOMMISSION_PATH), methods: { PUT: decommission(agent) } },
    { owns: at(RECOMMISSION_PATH), methods: { PUT: recommission(agent) } },
    { owns: at('/metrics'), methods: reads(metrics(registry)), open: 'by-option' },
    { owns: at('/healthz'), methods: reads(alive), open: 'always' },
    { owns: at('/livez'), methods: reads(alive), open: 'always' },
    { owns: at('/readyz'), methods: reads(ready(agent)), open: 'always' },
  ];
}
