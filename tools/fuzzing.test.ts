/** Whatever reads what others have written is fuzzed: each such reader has a property test, and a new one is asked for its own. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** What comes from outside: who reads it, and the property test that reads anything with it. */
const FUZZED: readonly (readonly [from: string, readers: readonly string[], by: string])[] = [
  ['quantities', ['Quantity'], 'src/kit/quantity.test.ts'],
  ['durations', ['parseDuration'], 'src/kit/duration.test.ts'],
  ['selectors of labels', ['parseLabelSelector'], 'src/kit/selector-syntax.test.ts'],
  ['selectors of fields', ['parseFieldSelector'], 'src/kit/field-selectors.test.ts'],
  ['flags', ['choice', 'duration', 'quantity'], 'src/commands/flags/kinds.test.ts'],
  ['the command line of the originals', ['goStyle'], 'src/commands/line/go-style.test.ts'],
  ['addresses to listen on', ['parseBindAddress'], 'src/kit/observe/bind-address.test.ts'],
  ['kubeconfigs', ['currentContext'], 'src/kit/kube/kubeconfig.test.ts'],
  ['answers of the API server', ['parseJson'], 'src/kit/kube/json.test.ts'],
  ['refusals of the API server', ['apiErrorFrom'], 'src/kit/kube/api-error.test.ts'],
  ['streams of the API server', ['watchEvents'], 'src/kit/kube/watch-stream.test.ts'],
  ['reports of nodes in ConfigMaps', ['NodeReports'], 'src/kit/reports/node-reports.test.ts'],
  ['leases', ['freeAt'], 'src/kit/lead/lease.test.ts'],
  ['tables of mounts', ['parseMountinfo'], 'src/kit/host/mounts.test.ts'],
  ['tables of swap', ['parseSwaps'], 'src/kit/host/swaps.test.ts'],
  ['numbers of devices', ['parseDeviceNumber'], 'src/kit/host/device-number.test.ts'],
  ['facts of devices in /sys', ['readDeviceFacts', 'parseSerialPage'], 'src/kit/host/device-facts.test.ts'],
  ['the output of blkid', ['kindIn'], 'src/kit/host/content.test.ts'],
  ['configurations of devices', ['parseConfig'], 'src/devices/config.test.ts'],
  ['filters of devices', ['parseFilter'], 'src/devices/filter.test.ts'],
  ['approvals in annotations', ['parseApprovals'], 'src/devices/approvals.test.ts'],
  ['identities of devices', ['parseIdentity'], 'src/devices/identity.test.ts'],
  ['the ledger of a node', ['parseLedger'], 'src/devices/ledger/format.test.ts'],
  ['what the kernel serves to others', ['readExports'], 'src/devices/exports.test.ts'],
  ['options of volumes in annotations', ['parseOptions', 'readWishes'], 'src/lvm/options/parse.test.ts'],
  ['options of mkfs', ['readMkfsOptions'], 'src/lvm/options/mkfs.test.ts'],
  ['options of mount', ['readMountOptions'], 'src/lvm/options/mount.test.ts'],
  ['sizes of volumes', ['readSize'], 'src/lvm/size.test.ts'],
  ['names of Secrets', ['readSecretName'], 'src/lvm/names.test.ts'],
  ['reports of LVM', ['parseReport'], 'src/lvm/fullreport.test.ts'],
  ['tags of LVM', ['decodeTag'], 'src/lvm/tags.test.ts'],
  ['fstab', ['parseFstab'], 'src/lvm/mounts.test.ts'],
  ['the output of cryptsetup', ['slotIn'], 'src/lvm/commands.test.ts'],
  ['specs of pools', ['decide', 'statusOf', 'statefulSetOf'], 'src/pool/any-spec.test.ts'],
  ['specs of syncs', ['SimulatedSite'], 'src/sync/any-spec.test.ts'],
  ['answers of agents', ['agentStatusOf'], 'src/pool/agent-answer.test.ts'],
  ['requests to agents', ['RunningAgent'], 'src/agent/hostile-requests.test.ts'],
  ['ranges of blobs', ['askedRange'], 'src/agent/ranges.test.ts'],
  ['files of blobs', ['parseFoot'], 'src/agent/trailer.test.ts'],
  ['exports', ['readDocument'], 'src/sync/export/document.test.ts'],
  ['exports of the original', ['readDocument'], 'src/sync/recover/original.test.ts'],
  ['exports, packed and closed', ['decode'], 'src/sync/export/codec.test.ts'],
  ['manifests and pointers', ['readManifest', 'readPointer'], 'src/sync/export/records.test.ts'],
  ['answers of S3 and Azure', ['explainS3', 'explainAzure'], 'src/sync/store/remote-failure.test.ts'],
  ['actions of people in the console', ['parseAction'], 'src/console/actions.test.ts'],
  ['requests to the console', ['SimulatedConsole'], 'src/console/hostile-requests.test.ts'],
];

test.each(FUZZED)('%s', (_, readers, by) => {
  const imports = importsOf(read(by));
  expect([...imports.values()]).toContain('fast-check');
  for (const reader of readers) {
    const from = imports.get(reader) ?? expect.unreachable(`${by} does not import ${reader}`);
    expect(read(join(dirname(by), from))).toMatch(new RegExp(`^export .*\\b${reader}\\b`, 'm'));
  }
});

/** What a test imports, by its name there, and from where. */
function importsOf(text: string): ReadonlyMap<string, string> {
  const named = [...text.matchAll(/^import \{([^}]*)\} from '([^']+)';$/gm)].flatMap(([, names, from = '']) =>
    namesIn(names).map((name) => [name, from] as const),
  );
  const taken = [...text.matchAll(/^import \* as (\w+) from '([^']+)';$/gm)].flatMap(([, all, from = '']) => {
    const [, names] = new RegExp(`^const \\{([^}]*)\\} =\\s*${all};$`, 'm').exec(text) ?? [];
    return namesIn(names).map((name) => [name, from] as const);
  });
  const whole = [...text.matchAll(/^import (?:\* as )?(\w+) from '([^']+)';$/gm)].map(
    ([, name = '', from = '']) => [name, from] as const,
  );
  return new Map([...named, ...taken, ...whole]);
}

const namesIn = (list = ''): readonly string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '));

test('a name that only occurs is not imported', () => {
  const text = "import fc from 'fast-check';\nimport { type A, b } from './b.ts';\n// parseReport reads\n";
  expect([...importsOf(text)]).toEqual([
    ['b', './b.ts'],
    ['fc', 'fast-check'],
  ]);
});

/** Read by a table of what is allowed, or a part of a reader that is fuzzed, or a loop around bytes that somebody else reads. */
const WITHOUT = [
  'decodeOctalEscapes', // of the tables of mounts and swap
  'parseLogLevel', // one of five words
  'readAll', // of the API server's answers
  'readAmount', // of quantities and sizes
  'readBody', // bytes, as many as there may be
  'readFile', // bytes, as many as there may be
  'readKeys', // bytes of a Secret, which are the key
  'readLoops', // paths of /sys, which are only compared
  'readReports', // of the reports of nodes
  'readRequirement', // of the selectors of labels
  'readTlsPair', // bytes of two files, which Node.js reads
  'readToken', // bytes of a file, which are the token
];

test('every reader of the program is among them, or has a reason not to be', () => {
  const files = globSync('src/**/*.ts', { cwd: root, exclude: ['src/sandbox/**', '**/*.test.ts', '**/simulated*'] });
  const declared = files.flatMap((file) =>
    [...read(file).matchAll(/^export (?:async )?(?:function|const) ((?:parse|read|decode)(?![a-z])\w*)/gm)].map(
      ([, name = '']) => name,
    ),
  );
  expect(declared.length).toBeGreaterThan(30);
  const known = [...FUZZED.flatMap(([, readers]) => readers), ...WITHOUT];
  expect([...new Set(declared)].filter((name) => !known.includes(name))).toEqual([]);
  expect(WITHOUT.filter((name) => !declared.includes(name))).toEqual([]);
});
