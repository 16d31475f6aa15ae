/**
 * What OpenAPI does not say of a field, and the Go types of the API server do: whether it is written out when it is empty, and what an
 * error calls its type. Read from the sources that the control plane of the tests is built from.
 */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Definitions, GoFields, SchemaNode } from '../../src/sandbox/schema/definitions.ts';

const CONTROL_PLANE = resolve(import.meta.dirname, '../control-plane');

/** The modules that definitions come from, by the beginning of their names. */
const MODULES: Readonly<Record<string, string>> = {
  'io.k8s.api.': 'k8s.io/api',
  'io.k8s.apimachinery.': 'k8s.io/apimachinery',
  'io.k8s.apiextensions-apiserver.': 'k8s.io/apiextensions-apiserver',
};

interface GoField {
  readonly name: string;
  readonly type: string;
  readonly isOmitted: boolean;
  /** The embedded struct that it is of. */
  readonly within?: string;
}

export function readGoFields(definitions: Definitions): Readonly<Record<string, GoFields>> {
  const packages = new Map<string, Map<string, readonly GoField[]>>();
  const entries = Object.keys(definitions).flatMap((definition): [string, GoFields][] => {
    const directory = packageOf(definition);
    if (directory === undefined) return [];
    const structs = packages.get(directory) ?? structsIn(directory);
    packages.set(directory, structs);
    const fields = structs.get(definition.slice(definition.lastIndexOf('.') + 1));
    return fields ? [[definition, summaryOf(fields, directory, definitions[definition])]] : [];
  });
  return Object.fromEntries(entries);
}

function packageOf(definition: string): string | undefined {
  const prefix = Object.keys(MODULES).find((each) => definition.startsWith(each));
  if (prefix === undefined) return undefined;
  const inside = definition.slice(prefix.length, definition.lastIndexOf('.')).replaceAll('.', '/');
  return join(moduleDirectory(MODULES[prefix] ?? ''), inside);
}

const directories = new Map<string, string>();

function moduleDirectory(module: string): string {
  const known = directories.get(module);
  if (known !== undefined) return known;
  const args = ['list', '-m', '-f', '{{.Dir}}', module];
  const found = execFileSync('go', args, { cwd: CONTROL_PLANE, encoding: 'utf8' }).trim();
  directories.set(module, found);
  return found;
}

function structsIn(directory: string): Map<string, readonly GoField[]> {
  const files = globSync(join(directory, '*.go')).filter(
    (file) => !/(_test|zz_generated|generated)[^/]*\.go$/.test(file),
  );
  const text = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  const structs = text.matchAll(/^type (\w+) struct \{\n(.*?)^\}/gms);
  const bodies = new Map([...structs].map(([, name = '', body = '']) => [name, body]));
  return new Map([...bodies].map(([name, body]) => [name, fieldsIn(body, bodies)]));
}

/** The fields of an embedded struct are as good as its own. */
function fieldsIn(body: string, bodies: ReadonlyMap<string, string>): readonly GoField[] {
  const lines = body.matchAll(/^\s*(\w+\s+)?([\w.*[\]]+)\s+`json:"([^"]*)"/gm);
  return [...lines].flatMap(([, , type = '', tag = '']) => {
    const [name = '', ...options] = tag.split(',');
    if (options.includes('inline'))
      return fieldsIn(bodies.get(type) ?? '', bodies).map((each) => ({ ...each, within: type }));
    return name === '-' || name === '' ? [] : [{ name, type, isOmitted: isOmitted(type, options) }];
  });
}

/** `omitempty` has no effect on structs. */
const isOmitted = (type: string, options: readonly string[]): boolean =>
  options.includes('omitzero') || (options.includes('omitempty') && !WRITTEN_STRUCTS.test(type));

const WRITTEN_STRUCTS = /^(metav1\.)?(Time|MicroTime)$|^(intstr\.)?IntOrString$|^(resource\.)?Quantity$/;

function summaryOf(fields: readonly GoField[], directory: string, definition: SchemaNode | undefined): GoFields {
  const pointers = fields.filter(({ type }) => type.startsWith('*')).map(({ name }) => name);
  const isStruct = (name: string) => isEmptyMap((definition?.properties as Definitions | undefined)?.[name]?.default);
  const written = fields
    .filter(({ name, type, isOmitted }) => !type.startsWith('*') && (!isOmitted || isStruct(name)))
    .map(({ name }) => name);
  const types = fields.flatMap(({ name, type }) => {
    const named = inPackage(type.replace(/^\*/, ''), directory);
    return named === undefined ? [] : [[name, named]];
  });
  const embedded = fields.flatMap(({ name, within }) => (within === undefined ? [] : [[name, within]]));
  return {
    pointers,
    written,
    types: Object.fromEntries(types),
    ...(embedded.length > 0 && { embedded: Object.fromEntries(embedded) }),
  };
}

const isEmptyMap = (value: unknown): boolean => JSON.stringify(value) === '{}';

/** `[]Container` of core/v1 is called `[]v1.Container`. Nothing, where the type is one of Go itself. */
function inPackage(type: string, directory: string): string | undefined {
  const match = /^((?:\[\]|map\[\w+\]|\*)*)([\w.]+)$/.exec(type);
  const [, prefix = '', name = ''] = match ?? [];
  if (match === null || (prefix === '' && /^(string|bool|u?int\d*|float\d*)$/.test(name))) return undefined;
  if (/^[a-z]\w*$/.test(name)) return type;
  const [imported, own] = name.includes('.') ? name.split('.') : [lastOf(directory), name];
  return `${prefix}${imported?.replace(/^metav1$/, 'v1')}.${own}`;
}

const lastOf = (directory: string): string => directory.slice(directory.lastIndexOf('/') + 1);
