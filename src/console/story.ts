/** A volume's whole story: all that is known of it, and what has happened to it as far as anybody has told. */
import { lastTimeOf, TOLD_EVENTS, type ToldEvent } from '../api/events.ts';
import { PERSISTENT_VOLUMES, type PersistentVolume } from '../api/persistent-volumes.ts';
import { RECEIPT_ANNOTATION } from '../devices/contract.ts';
import { inBytes } from '../kit/in-words.ts';
import { hasReason } from '../kit/kube/api-error.ts';
import type { KubeClient } from '../kit/kube/client.ts';
import type { Resource } from '../kit/kube/resource.ts';
import { toYaml } from '../kit/yaml.ts';
import { DEFAULT_POLICY } from '../topology/contract.ts';
import { volumeStatus } from '../topology/status.ts';
import type { ConsoleCluster } from './cluster.ts';
import { holds, newestExports } from './exports.ts';
import type { ExportMark, Moment, Need, NodeRow, VolumeRow, VolumeStory, WipeReceipt } from './model.ts';
import type { Parts } from './overview.ts';
import { sentence } from './shown.ts';
import type { Held } from './stored-exports.ts';
import { factsOf } from './story-facts.ts';

/** With the fields that people want to see. */
export interface StoryEvent extends Omit<ToldEvent, 'series'> {
  readonly reason?: string;
  readonly type?: string;
  readonly reportingController?: string;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string } | null;
  readonly deprecatedCount?: number;
  readonly deprecatedSource?: { readonly component?: string };
}

const STORY_EVENTS: Resource<StoryEvent> = { ...TOLD_EVENTS };
const MOST_EVENTS = 200;
/** Where Events about what is in no namespace are. */
const DEFAULT_NAMESPACE = 'default';

export interface Told {
  readonly volume: PersistentVolume;
  readonly row: VolumeRow;
  readonly parts: Parts;
  readonly events: readonly StoryEvent[];
  readonly zoneWhy: string | undefined;
  readonly exports: Pick<Held, 'marks' | 'notLookedAt'>;
}

/** As the caller: what they may not read is not told. Nothing when there is no such volume, or they may not see it. */
export async function storyOf(
  cluster: ConsoleCluster,
  name: string,
  parts: Parts,
  client: KubeClient,
  signal: AbortSignal,
): Promise<VolumeStory | undefined> {
  const row = parts.volumes.known ? parts.volumes.value.get(name)?.row : undefined;
  if (!row) return undefined;
  const volume = await client.find(PERSISTENT_VOLUMES, { name }, { signal });
  if (!volume) return undefined;
  const events = [
    ...(await eventsOn(client, 'PersistentVolume', DEFAULT_NAMESPACE, name, signal)),
    ...(row.claim === undefined ? [] : await eventsOnClaim(client, row.claim, signal)),
  ];
  const exports = await exportsOf(cluster, name, parts);
  return told({ volume, row, parts, events, zoneWhy: zoneWhyOf(cluster, name), exports });
}

const eventsOnClaim = (client: KubeClient, claim: string, signal: AbortSignal) => {
  const [namespace = '', name = ''] = claim.split('/');
  return eventsOn(client, 'PersistentVolumeClaim', namespace, name, signal);
};

async function eventsOn(
  client: KubeClient,
  kind: string,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<readonly StoryEvent[]> {
  const fieldSelector = `regarding.kind=${kind},regarding.name=${name}`;
  try {
    return (await client.list(STORY_EVENTS, { namespace, fieldSelector, limit: MOST_EVENTS, signal })).items;
  } catch (error) {
    if (hasReason(error, 'Forbidden')) return [];
    throw error;
  }
}

function zoneWhyOf({ views: { topology } }: ConsoleCluster, name: string): string | undefined {
  const isKnown = [topology.claims, topology.pods, topology.nodes].every((view) => view.available && view.synced);
  return isKnown && topology.volumes.has(name) ? volumeStatus(topology, name, DEFAULT_POLICY).why : undefined;
}

export function told({ volume, row, parts, events, zoneWhy, exports }: Told): VolumeStory {
  const { metadata } = volume;
  const why = zoneWhy === undefined ? undefined : whyThere(row, zoneWhy);
  return {
    row,
    facts: factsOf(volume, row, nodeIn(parts, row)),
    moments: momentsOf(volume, events),
    ...(why !== undefined && { zoneWhy: why }),
    needs: needsOf(row, parts),
    receipts: receiptsOf(metadata.annotations?.[RECEIPT_ANNOTATION], events),
    exports: exports.marks,
    ...(exports.notLookedAt > 0 && { exportsNotLookedAt: exports.notLookedAt }),
    yaml: toYaml(withoutNoise(volume)),
  };
}

function whyThere({ zone, pods = [], node }: VolumeRow, why: string): string {
  if (zone === undefined) return sentence(why);
  if (pods.length === 0) return `It carries ${zone}. ${sentence(why)}`;
  return `It carries ${zone}, because ${pods.join(', ')} ${pods.length === 1 ? 'uses' : 'use'} it${node ? ` on ${node}` : ''}. ${sentence(why)}`;
}

function momentsOf({ metadata }: PersistentVolume, events: readonly StoryEvent[]): readonly Moment[] {
  const { creationTimestamp, deletionTimestamp } = metadata;
  const own: readonly Moment[] = [
    ...(creationTimestamp ? [{ at: creationTimestamp, what: 'The volume was made.' }] : []),
    ...(deletionTimestamp ? [{ at: deletionTimestamp, what: 'Somebody has deleted it.' }] : []),
  ];
  return [...own, ...events.map(momentOf)].toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

function momentOf(event: StoryEvent): Moment {
  const { note, reason, type, series, deprecatedCount, deprecatedSource, reportingController } = event;
  const times = series?.count ?? deprecatedCount ?? 1;
  const by = reportingController || deprecatedSource?.component;
  return {
    at: new Date(lastTimeOf(event as ToldEvent)).toISOString(),
    what: sentence(note ?? reason ?? ''),
    ...(by && { by }),
    ...(type === 'Warning' && { isWarning: true }),
    ...(times > 1 && { times }),
  };
}

/** The node that it is on, where the caller may see that. */
const nodeIn = ({ nodes }: Parts, { node }: VolumeRow): NodeRow | undefined =>
  nodes.known && node !== undefined ? nodes.value.get(node)?.row : undefined;

/** Its own, and what its node is in need of because of it. */
function needsOf({ name, node }: VolumeRow, { volumes, nodes }: Parts): readonly Need[] {
  const own = volumes.known ? (volumes.value.get(name)?.needs ?? []) : [];
  const ofNode = nodes.known ? (nodes.value.get(node ?? '')?.needs ?? []) : [];
  return [...own, ...ofNode.filter(({ id }) => id === `lvm:${name}` || id === `device:${node}:${name}`)];
}

interface Receipt {
  readonly method: string;
  readonly bytes?: number;
  readonly writtenBytes?: number;
  readonly verified?: string;
  readonly verifiedBytes?: number;
  readonly seconds?: number;
  readonly at: string;
}

/** The one that it carries, and those of wipes before that Events still tell of. */
export function receiptsOf(text: string | undefined, events: readonly StoryEvent[]): readonly WipeReceipt[] {
  const carried = receiptIn(text);
  const before = events
    .filter(({ reason }) => reason === 'DeviceWiped')
    .map((event): WipeReceipt => {
      const { note = '' } = event;
      const at = new Date(lastTimeOf(event as ToldEvent)).toISOString();
      return { at, method: /is wiped \(([^,)]+)/.exec(note)?.[1] ?? '', text: sentence(note) };
    });
  return [...before, ...(carried ? [carried] : [])];
}

function receiptIn(text: string | undefined): WipeReceipt | undefined {
  if (text === undefined) return undefined;
  try {
    const { at, method, bytes, writtenBytes, verified, verifiedBytes, seconds } = JSON.parse(text) as Receipt;
    if (typeof at !== 'string' || typeof method !== 'string') return undefined;
    const how =
      verified === 'all' ? 'all of it read back' : `${inBytes(verifiedBytes ?? 0)} of it read back as samples`;
    return {
      at,
      method,
      ...(typeof bytes === 'number' && { bytes }),
      verified: verified === 'all' || verified === 'sample',
      text: `Wiped by ${method} in ${seconds ?? '?'} s before it was made: ${inBytes(writtenBytes ?? 0)} written, ${how}.`,
    };
  } catch {
    return undefined;
  }
}

/** Of syncs that the caller may see: what the object store has, where it can be looked into, and else the newest as its sync tells of it. */
async function exportsOf(
  { views, storedExports }: ConsoleCluster,
  name: string,
  { syncs }: Parts,
): Promise<Told['exports']> {
  const volume = views.volumes.get(name);
  if (!volume || !syncs.known) return { marks: [], notLookedAt: 0 };
  const visible = [...views.syncs.values()].filter(({ metadata }) => syncs.value.has(metadata.name ?? ''));
  const stored = storedExports ? await Promise.all(visible.map((sync) => storedExports.holding(sync, volume))) : [];
  const isLooked = (key: string) => stored.some(({ looked }) => looked.has(key));
  const told = newestExports(visible)
    .filter((newest) => !isLooked(newest.key) && holds(newest, volume))
    .map(({ sync, key, exportedAt }) => ({ sync, key, exportedAt }));
  return {
    marks: [...told, ...stored.flatMap(({ marks }) => marks)].toSorted(newestFirst),
    notLookedAt: stored.reduce((sum, each) => sum + each.notLookedAt, 0),
  };
}

const newestFirst = (one: ExportMark, other: ExportMark): number =>
  Date.parse(other.exportedAt) - Date.parse(one.exportedAt);

/** Nobody reads who wrote which field. */
const withoutNoise = ({ metadata: { managedFields: _, ...metadata }, ...volume }: PersistentVolume) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata,
  ...volume,
});
