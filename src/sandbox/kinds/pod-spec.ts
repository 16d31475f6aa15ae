/** What a pod's spec means where it says nothing, in a pod as in the template of one. */
import { valueAt, withDefaultAt, withValueAt } from '../api-object.ts';
import { isMap, type Json, type JsonMap } from '../json.ts';

export function defaultedPodSpec(spec: JsonMap): JsonMap {
  const plain: JsonMap = {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
    ...spec,
  };
  const isOnHost = plain.hostNetwork === true;
  const named = plain.serviceAccountName && !plain.serviceAccount ? { serviceAccount: plain.serviceAccountName } : {};
  return {
    ...plain,
    ...named,
    containers: each(plain.containers, (container) => defaultedContainer(container, isOnHost)),
    ...(plain.initContainers !== undefined && {
      initContainers: each(plain.initContainers, (container) => defaultedContainer(container, isOnHost)),
    }),
    ...(plain.volumes !== undefined && { volumes: each(plain.volumes, defaultedVolume) }),
  };
}

const each = (list: Json | undefined, change: (item: JsonMap) => JsonMap): Json =>
  Array.isArray(list) ? list.map((item) => (isMap(item) ? change(item) : item)) : (list ?? []);

function defaultedContainer(container: JsonMap, isOnHost: boolean): JsonMap {
  const { image = '', ports, env } = container;
  const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'].filter((name) => isMap(container[name]));
  return {
    resources: {},
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: isLatest(String(image)) ? 'Always' : 'IfNotPresent',
    ...container,
    ...(ports !== undefined && { ports: each(ports, (port) => defaultedPort(port, isOnHost)) }),
    ...(env !== undefined && { env: each(env, defaultedVariable) }),
    ...Object.fromEntries(probes.map((name) => [name, defaultedProbe(container[name] as JsonMap)])),
  };
}

/** An image without a tag is the latest. */
function isLatest(image: string): boolean {
  const [name = ''] = image.split('@');
  if (image.includes('@')) return false;
  const tag = /:([^/:]+)$/.exec(name)?.[1];
  return tag === undefined || tag === 'latest';
}

const defaultedPort = (port: JsonMap, isOnHost: boolean): JsonMap => ({
  protocol: 'TCP',
  ...(isOnHost && port.containerPort !== undefined && { hostPort: port.containerPort }),
  ...port,
});

const defaultedVariable = (variable: JsonMap): JsonMap =>
  valueAt(variable, 'valueFrom', 'fieldRef') === undefined
    ? variable
    : withDefaultAt(variable, ['valueFrom', 'fieldRef', 'apiVersion'], 'v1');

function defaultedProbe(probe: JsonMap): JsonMap {
  const timed: JsonMap = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3, ...probe };
  if (!isMap(timed.httpGet)) return timed;
  return { ...timed, httpGet: { path: '/', scheme: 'HTTP', ...timed.httpGet } };
}

/** 0644 */
const FILE_MODE = 420;

function defaultedVolume(volume: JsonMap): JsonMap {
  const moded = ['secret', 'configMap', 'downwardAPI', 'projected'].filter((name) => isMap(volume[name]));
  const filled = moded.reduce((one, name) => withDefaultAt(one, [name, 'defaultMode'], FILE_MODE), volume);
  if (isMap(filled.hostPath)) return withDefaultAt(filled, ['hostPath', 'type'], '');
  const isEmpty = Object.keys(filled).length === 1;
  return isEmpty ? withValueAt(filled, ['emptyDir'], {}) : filled;
}
