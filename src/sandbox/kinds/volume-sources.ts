/** What volumes can be made of, in the order and the words of the server's Go types. */
import { valueAt } from '../api-object.ts';
import { isList, isMap, type Json, type JsonMap } from '../json.ts';

/** The names of the fields in JSON and in Go. */
const SOURCES: readonly (readonly [json: string, go: string])[] = [
  ['gcePersistentDisk', 'GCEPersistentDisk'],
  ['awsElasticBlockStore', 'AWSElasticBlockStore'],
  ['hostPath', 'HostPath'],
  ['glusterfs', 'Glusterfs'],
  ['nfs', 'NFS'],
  ['rbd', 'RBD'],
  ['quobyte', 'Quobyte'],
  ['iscsi', 'ISCSI'],
  ['flexVolume', 'FlexVolume'],
  ['cinder', 'Cinder'],
  ['cephfs', 'CephFS'],
  ['fc', 'FC'],
  ['flocker', 'Flocker'],
  ['azureFile', 'AzureFile'],
  ['vsphereVolume', 'VsphereVolume'],
  ['azureDisk', 'AzureDisk'],
  ['photonPersistentDisk', 'PhotonPersistentDisk'],
  ['portworxVolume', 'PortworxVolume'],
  ['scaleIO', 'ScaleIO'],
  ['local', 'Local'],
  ['storageos', 'StorageOS'],
  ['csi', 'CSI'],
];

const SECRETS = ['controllerPublish', 'nodeStage', 'nodePublish', 'controllerExpand', 'nodeExpand'];

/** Every field that those of our volumes have, with what it is where it is not said. */
const FIELDS: Readonly<Record<string, JsonMap>> = {
  hostPath: { path: '', type: null },
  local: { path: '', fsType: null },
  nfs: { server: '', path: '', readOnly: false },
  csi: {
    driver: '',
    volumeHandle: '',
    readOnly: false,
    fsType: '',
    volumeAttributes: null,
    ...Object.fromEntries(SECRETS.map((secret) => [`${secret}SecretRef`, null])),
  },
};

const GO_NAMES: Readonly<Record<string, string>> = { fsType: 'FSType' };

export const hasSource = (spec: JsonMap, name: string): boolean => spec[name] !== undefined;

export const sourcesOf = (spec: JsonMap): readonly string[] =>
  SOURCES.map(([json]) => json).filter((json) => hasSource(spec, json));

export function sourceInGo(spec: JsonMap): JsonMap {
  return Object.fromEntries(SOURCES.map(([json, go]) => [go, inGo(spec[json], FIELDS[json])]));
}

function inGo(source: Json | undefined, fields: JsonMap = {}): Json {
  if (!isMap(source)) return null;
  const entries = Object.entries({ ...fields, ...source });
  return Object.fromEntries(entries.map(([name, value]) => [goName(name), goValue(name, value)]));
}

const goName = (name: string): string => GO_NAMES[name] ?? `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;

function goValue(name: string, value: Json): Json {
  if (!isMap(value) || isList(value) || name === 'volumeAttributes') return value;
  return { Name: valueAt(value, 'name') ?? '', Namespace: valueAt(value, 'namespace') ?? '' };
}
