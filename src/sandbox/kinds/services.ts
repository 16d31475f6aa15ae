/** Services. Each gets an address of its own, unless it wants none. */
import { SERVICES } from '../../api/services.ts';
import { type ApiObject, listAt, textAt, valueAt, withValueAt } from '../api-object.ts';
import { isMap, type JsonMap, same } from '../json.ts';
import { builtIn, withOldStatus } from './built-in.ts';
import { AGE, column, NAME, wide } from './columns.ts';
import { dnsLabelFaults } from './name-faults.ts';
import { serviceFaults } from './small-kind-faults.ts';

function defaulted(object: ApiObject): ApiObject {
  const spec: JsonMap = { type: 'ClusterIP', sessionAffinity: 'None', ...(object.spec as JsonMap | undefined) };
  const local = spec.type === 'ExternalName' ? {} : { internalTrafficPolicy: 'Cluster' };
  const ports = listAt(spec, 'ports').map((port) =>
    isMap(port) ? { protocol: 'TCP', ...port, targetPort: port.targetPort || (port.port ?? 0) } : port,
  );
  return { ...object, spec: { ...local, ...spec, ...(spec.ports !== undefined && { ports }) } };
}

function begun(object: ApiObject): ApiObject {
  const spec = object.spec as JsonMap;
  const status = { loadBalancer: {} };
  if (spec.type === 'ExternalName') return { ...object, status };
  const address = spec.clusterIP || addressFor(object);
  const placed = { clusterIP: address, clusterIPs: [address], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' };
  return { ...object, spec: { ...spec, ...placed }, status };
}

/** No two services that are there at once are likely to get the same: it follows from the uid. */
function addressFor({ metadata: { uid = '' } }: ApiObject): string {
  const number = 10 + (Number.parseInt(uid.slice(0, 8), 16) % 65_000);
  return `10.96.${number >> 8}.${number & 255}`;
}

/** The address stays, also when an update leaves it out. It stands twice: who changes one of the two means both. */
function updated(sent: ApiObject, old: ApiObject): ApiObject {
  const address = valueAt(sent, 'spec', 'clusterIP');
  const isNew = address !== undefined && address !== valueAt(old, 'spec', 'clusterIP');
  const isAlone = same(valueAt(sent, 'spec', 'clusterIPs') ?? null, valueAt(old, 'spec', 'clusterIPs') ?? null);
  const object = isNew && isAlone ? withValueAt(sent, ['spec', 'clusterIPs'], [address]) : sent;
  const kept = ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'].filter(
    (field) => valueAt(object, 'spec', field) === undefined,
  );
  const fields = kept.flatMap((field) => {
    const value = valueAt(old, 'spec', field);
    return value === undefined ? [] : [[field, value]];
  });
  return withOldStatus({ ...object, spec: { ...(object.spec as JsonMap), ...Object.fromEntries(fields) } }, old);
}

const portsOf = (object: ApiObject): string =>
  listAt(object, 'spec', 'ports')
    .map((port) => {
      const node = valueAt(port, 'nodePort');
      return `${textAt(port, 'port')}${node ? `:${node}` : ''}/${textAt(port, 'protocol')}`;
    })
    .join(',') || '<none>';

function selectorOf(object: ApiObject): string {
  const selector = valueAt(object, 'spec', 'selector') ?? {};
  return (
    Object.entries(selector)
      .map(([key, value]) => `${key}=${value}`)
      .sort()
      .join(',') || '<none>'
  );
}

export const services = builtIn({
  resource: SERVICES,
  shortNames: ['svc'],
  categories: ['all'],
  hasStatus: true,
  returnsDeleted: true,
  nameFaults: dnsLabelFaults,
  faults: serviceFaults,
  selectable: (object) => ({
    'spec.clusterIP': textAt(object, 'spec', 'clusterIP'),
    'spec.type': textAt(object, 'spec', 'type'),
  }),
  defaulted,
  begun,
  updated,
  columns: [
    NAME,
    column('Type', (object) => textAt(object, 'spec', 'type')),
    column('Cluster-IP', (object) => textAt(object, 'spec', 'clusterIP') || '<none>'),
    column(
      'External-IP',
      (object) => textAt(object, 'spec', 'externalName') || listAt(object, 'spec', 'externalIPs').join(',') || '<none>',
    ),
    column('Port(s)', portsOf),
    AGE,
    wide('Selector', selectorOf),
  ],
});
