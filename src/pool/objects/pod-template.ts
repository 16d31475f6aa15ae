/** What each pod of a pool is made from. */
import { DEFAULT_PORT } from '../../pool-client/protocol.ts';
import {
  CLAIM_TEMPLATE,
  CONTAINER,
  DATA_PATH,
  DEFAULT_CPU,
  DEFAULT_MEMORY,
  type PvPool,
  type PvPoolSpec,
  RESTRICTED_USER,
  TOKEN_DIRECTORY,
  TOKEN_KEY,
} from '../contract.ts';
import { tokenSecretNameOf } from '../names.ts';
import { labelsOf, nameOf } from './owned.ts';

export type Security = NonNullable<PvPoolSpec['securityContext']>;

const TOKEN_VOLUME = 'token';

export const podTemplateOf = (pool: PvPool, security: Security) => ({
  metadata: { labels: labelsOf(pool) },
  spec: {
    containers: [containerOf(pool.spec, security)],
    volumes: [{ name: TOKEN_VOLUME, secret: { secretName: tokenSecretNameOf(nameOf(pool)) } }],
    topologySpreadConstraints: SPREAD_OVER.map((topologyKey) => ({
      maxSkew: 1,
      topologyKey,
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: labelsOf(pool) },
    })),
    ...(security === 'Restricted' && RESTRICTED_POD),
  },
});

/** Where a pod says anything about zones, the scheduler no longer spreads it over nodes by itself. */
const SPREAD_OVER = ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'];

/** The group owns the files of the volume. To look at each at every start would take long where there are many. */
const RESTRICTED_POD = {
  automountServiceAccountToken: false,
  securityContext: {
    runAsNonRoot: true,
    runAsUser: RESTRICTED_USER,
    runAsGroup: RESTRICTED_USER,
    fsGroup: RESTRICTED_USER,
    fsGroupChangePolicy: 'OnRootMismatch',
    seccompProfile: { type: 'RuntimeDefault' },
  },
};

const RESTRICTED_CONTAINER = {
  securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
};

const containerOf = ({ image, args, resources, drain }: PvPoolSpec, security: Security) => ({
  name: CONTAINER,
  image,
  ...(args && { args }),
  env: [
    { name: 'PV_PATH', value: DATA_PATH },
    { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    { name: 'HOLDFAST_TOKEN_FILE', value: `${TOKEN_DIRECTORY}/${TOKEN_KEY}` },
    ...(drain?.bandwidth ? [{ name: 'HOLDFAST_DRAIN_BANDWIDTH', value: drain.bandwidth }] : []),
  ],
  resources: resources ?? DEFAULT_RESOURCES,
  // Any image that speaks the two endpoints listens, but need not have a page for probes.
  readinessProbe: { tcpSocket: { port: DEFAULT_PORT } },
  volumeMounts: [
    { name: CLAIM_TEMPLATE, mountPath: DATA_PATH },
    { name: TOKEN_VOLUME, mountPath: TOKEN_DIRECTORY, readOnly: true },
  ],
  ...(security === 'Restricted' && RESTRICTED_CONTAINER),
});

const SHARE = { cpu: DEFAULT_CPU, memory: DEFAULT_MEMORY };
const DEFAULT_RESOURCES = { requests: SHARE, limits: SHARE };
