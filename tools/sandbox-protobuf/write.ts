/**
 * Writes which fields the messages of the API have in protobuf, which is how kubectl sends what it makes itself. Read from the sources
 * that the control plane of the tests is built from: `node tools/sandbox-protobuf/write.ts`.
 */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { MessageFields } from '../../src/sandbox/server/protobuf.ts';

const CONTROL_PLANE = resolve(import.meta.dirname, '../control-plane');
const TARGET = resolve(import.meta.dirname, '../../src/sandbox/server/protobuf-fields.json');

/** What a client may send: kinds, and the options of deletions. */
const SENT = [
  ...['ConfigMap', 'Event', 'Namespace', 'Node', 'PersistentVolume', 'PersistentVolumeClaim', 'Pod', 'Binding'].map(
    core,
  ),
  ...['Secret', 'Service', 'ServiceAccount'].map(core),
  ...['StatefulSet'].map(of('apps')),
  ...['StorageClass'].map(of('storage')),
  ...['Lease'].map(of('coordination')),
  ...['Event'].map(of('events')),
  ...['PodDisruptionBudget', 'Eviction'].map(of('policy')),
  ...['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'].map(of('rbac')),
  ...['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'].map(of('admissionregistration')),
  ...['TokenRequest', 'TokenReview', 'SelfSubjectReview'].map(of('authentication')),
  ...['SelfSubjectAccessReview', 'SelfSubjectRulesReview', 'SubjectAccessReview', 'LocalSubjectAccessReview'].map(
    of('authorization'),
  ),
  ...['Scale'].map(of('autoscaling')),
  'k8s.io.apimachinery.pkg.apis.meta.v1.DeleteOptions',
];

function core(kind: string): string {
  return of('core')(kind);
}

function of(group: string): (kind: string) => string {
  return (kind) => `k8s.io.api.${group}.v1.${kind}`;
}

const moduleDirectory = (module: string): string =>
  execFileSync('go', ['list', '-m', '-f', '{{.Dir}}', module], { cwd: CONTROL_PLANE, encoding: 'utf8' }).trim();

const MESSAGE = /^message (\w+) \{\n(.*?)^\}/gms;
const FIELD = /^ {2}(optional|repeated|map<string, )\s*([.\w]+)>? (\w+) = (\d+);/gm;
const SCALARS: ReadonlySet<string> = new Set(['string', 'bytes', 'bool', 'int32', 'int64', 'double']);

function messagesIn(file: string): [string, MessageFields][] {
  const text = readFileSync(file, 'utf8');
  const home = /^package ([.\w]+);/m.exec(text)?.[1] ?? '';
  const inlined = inlinedFields(dirname(file));
  return [...text.matchAll(MESSAGE)].map(([, name = '', body = '']) => {
    const fields = [...body.matchAll(FIELD)].map(([, label = '', type = '', field = '', number = '']) => {
      const isLocal = !SCALARS.has(type) && !type.includes('.');
      const full = isLocal ? `${home}.${type}` : type.replace(/^\./, '');
      const many = label === 'repeated' ? '[]' : label.startsWith('map') ? '{}' : '';
      const named = field === 'uID' ? 'uid' : field; // its name in JSON is another
      return [number, [inlined.has(`${name}.${field}`) ? '' : named, `${many}${full}`]] as const;
    });
    return [`${home}.${name}`, Object.fromEntries(fields)];
  });
}

/** `Volume.volumeSource`: what is a message of its own in protobuf, and no field of its own in JSON. */
function inlinedFields(directory: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const file of globSync(join(directory, 'types*.go'))) {
    for (const [, struct, body = ''] of readFileSync(file, 'utf8').matchAll(/^type (\w+) struct \{\n(.*?)^\}/gms)) {
      for (const [, name] of body.matchAll(/json:",inline" protobuf:"[^"]*name=(\w+)/g)) found.add(`${struct}.${name}`);
    }
  }
  return found;
}

const files = ['k8s.io/api', 'k8s.io/apimachinery'].flatMap((module) =>
  globSync(join(moduleDirectory(module), '**/generated.proto')),
);
const all = new Map(files.flatMap(messagesIn));
const wanted = new Map<string, MessageFields>();

function want(name: string): void {
  const fields = all.get(name);
  if (!fields || wanted.has(name)) return;
  wanted.set(name, fields);
  for (const [, type] of Object.values(fields)) want(type.replace(/^(\[\]|\{\})/, ''));
}

for (const name of SENT) {
  if (!all.has(name)) throw new Error(`no message ${name} is in the sources`);
  want(name);
}
const lines = [...wanted]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([name, fields]) => `  ${JSON.stringify(name)}: ${JSON.stringify(fields)}`);
writeFileSync(TARGET, `{\n${lines.join(',\n')}\n}\n`);
console.log(`${wanted.size} messages are in ${TARGET}`);
