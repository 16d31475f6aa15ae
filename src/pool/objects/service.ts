/** The Service of a pool, as the original makes it. */
import { SERVICES, type Service } from '../../api/services.ts';
import { apiVersionOf } from '../../kit/kube/resource.ts';
import { DEFAULT_PORT } from '../../pool-client/protocol.ts';
import { PORT_NAME, type PvPool } from '../contract.ts';
import { serviceNameOf } from '../names.ts';
import { labelsOf, nameOf, ownedMetadata } from './owned.ts';

export const serviceOf = (pool: PvPool): Service => ({
  apiVersion: apiVersionOf(SERVICES),
  kind: SERVICES.kind,
  metadata: ownedMetadata(pool, serviceNameOf(nameOf(pool))),
  spec: {
    type: 'ClusterIP',
    selector: labelsOf(pool),
    ports: [{ name: PORT_NAME, port: DEFAULT_PORT, targetPort: DEFAULT_PORT }],
  },
});
