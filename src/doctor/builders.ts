/** For tests: a cluster in which all is well, to be changed in the one respect that a test is about. */
import type { Node } from '../api/nodes.ts';
import type { PersistentVolume } from '../api/persistent-volumes.ts';
import type { Known } from '../kit/known.ts';
import type { Cluster, Report } from './cluster.ts';
import type { Finding, Verdict } from './finding.ts';
import type { Writer } from './writers.ts';

export const NOW = new Date('2026-03-01T12:00:00Z');
export const minutesAgo = (minutes: number): string => new Date(NOW.getTime() - minutes * 60_000).toISOString();

export const seen = <T>(value: T): Known<T> => ({ known: true, value });
export const unseen = { known: false, why: 'it may not be read' } as const;

export const aCluster = (parts: Partial<Cluster> = {}): Cluster => ({
  now: NOW,
  version: '1.2.3',
  server: seen('v1.34.1'),
  clock: seen({ date: NOW.toUTCString(), sentMs: NOW.getTime(), receivedMs: NOW.getTime() + 20 }),
  nodes: seen([aNode('node-1')]),
  volumes: seen([]),
  reports: seen([]),
  leases: seen([]),
  writers: seen([]),
  consoles: seen([]),
  kinds: seen(new Map()),
  policies: seen([]),
  bindings: seen([]),
  rights: new Map(),
  syncs: seen([]),
  ...parts,
});

export const aNode = (name: string, labels: Readonly<Record<string, string>> = {}): Node => ({
  metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
});

export const aVolume = (
  metadata: PersistentVolume['metadata'],
  parts: Partial<PersistentVolume> = {},
): PersistentVolume => ({
  metadata: { name: 'data-0', ...metadata },
  ...parts,
});

export const aReport = (parts: Partial<Report> = {}): Report => ({
  metadata: { name: 'holdfast-lvm-node-1', namespace: 'storage', uid: 'u1', resourceVersion: '7' },
  job: 'lvm',
  node: 'node-1',
  at: minutesAgo(1),
  version: '1.2.3',
  ...parts,
});

export const aWriter = (parts: Partial<Writer> = {}): Writer => ({
  job: 'devices',
  does: parts.job ?? 'devices',
  who: 'holdfast',
  kind: 'DaemonSet',
  namespace: 'storage',
  name: 'holdfast-devices',
  account: 'holdfast-devices',
  image: 'holdfast:1.2.3',
  runs: true,
  original: 'local-pv-provisioner',
  secretNamespaces: [],
  elects: false,
  ...parts,
});

export const findingsOf = (verdict: Verdict): readonly Finding[] => (verdict.is === 'found' ? verdict.findings : []);
/** Severity and evidence of each: what most tests are about. */
export const told = (verdict: Verdict): readonly string[] =>
  verdict.is === 'found'
    ? verdict.findings.map(({ severity, subject, evidence }) => `${severity}: ${subject}: ${evidence}`)
    : [`${verdict.is}: ${verdict.why}`];
