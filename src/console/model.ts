/**
 * What the console shows, as its server works it out and its page reads it: rows by key, so that a change is a few rows. Types only, and
 * nothing of Node.js: the page imports them, too. Times are as the API writes them; bytes are plain numbers.
 */

/** Of what is shown. `unknown` is what nobody could say, which is never taken for well. */
export type Health = 'well' | 'busy' | 'attention' | 'failed' | 'unknown';

export type Job = 'topology' | 'devices' | 'lvm' | 'pool' | 'sync';

/** What is told to the page before all else. */
export interface Hello {
  readonly version: string;
  /** Those that this console looks at, in the order of its tabs; the page is of one at a time. */
  readonly clusters: readonly ClusterName[];
  /** What people may do here; nothing unless the console was started with --allow-actions. */
  readonly actions: readonly ActionName[];
  /** Whether it wants the caller's own token. */
  readonly wantsToken: boolean;
  /** Who the caller is, where it is known. */
  readonly user?: string;
}

export interface ClusterName {
  readonly name: string;
  /** For people: `protected`, `recovery`, or the host of the API server. */
  readonly title: string;
}

/** Everything of one cluster that a caller may see. */
export interface State {
  readonly overview: Overview;
  readonly volumes: Rows<VolumeRow>;
  readonly nodes: Rows<NodeRow>;
  readonly pools: Rows<PoolRow>;
  readonly syncs: Rows<SyncRow>;
  readonly unknown?: Unknown;
}

/** Why nobody can say which rows a part has, where that is so: that none are shown then does not mean that there are none. */
export interface Unknown {
  readonly volumes?: string;
  readonly nodes?: string;
  readonly pools?: string;
  readonly syncs?: string;
}

export type Rows<T> = Readonly<Record<string, T>>;

/**
 * What a stream brings: first `state`, or `change` when it goes on from where it was, and always how the cluster is heard and what time
 * it is there; then `change`, `connection` when that is other, and `time` every 15 s, also to say that the console is still there.
 */
export type Message =
  | { readonly is: 'state'; readonly state: State }
  | { readonly is: 'change'; readonly change: Change }
  | { readonly is: 'connection'; readonly connection: Connection }
  | { readonly is: 'time'; readonly at: string };

/** Rows that are new or other, and null for those that have gone. */
export interface Change {
  readonly overview?: Overview;
  readonly volumes?: Readonly<Record<string, VolumeRow | null>>;
  readonly nodes?: Readonly<Record<string, NodeRow | null>>;
  readonly pools?: Readonly<Record<string, PoolRow | null>>;
  readonly syncs?: Readonly<Record<string, SyncRow | null>>;
  /** All of it, if any of it is other. */
  readonly unknown?: Unknown;
}

/** How well the console hears the cluster. */
export interface Connection {
  readonly isHeard: boolean;
  /** Since when it is so. */
  readonly since: string;
  readonly why?: string;
}

// ——— Overview: is my data safe?

export interface Overview {
  readonly at: string;
  readonly verdict: Verdict;
  readonly volumesByHealth: Readonly<Record<Health, number>>;
  /** By severity, then age. */
  readonly needs: readonly Need[];
  readonly activities: readonly Activity[];
  readonly jobs: readonly JobStanding[];
  /** Of all pools with a forecast, the nearest first. */
  readonly forecasts: readonly Forecast[];
  readonly rpo?: Rpo;
}

export interface Verdict {
  readonly health: Health;
  /** One sentence: `Yes. All 412 volumes are well.` or `Not all of it. 3 things need you now.` */
  readonly sentence: string;
}

/** Something that only a person can do, with what to do. */
export interface Need {
  readonly id: string;
  readonly job: Job;
  readonly severity: 'urgent' | 'soon';
  /** What is wrong, as one sentence. */
  readonly what: string;
  /** What to do about it, as one sentence. */
  readonly remedy: string;
  /** What to type, where there is something. */
  readonly command?: string;
  /** Where it is shown: `#/volumes/NAME`, `#/nodes/NAME`, `#/pools/NS/NAME`, `#/sync/NAME`. */
  readonly link?: string;
  /** What can be done about it right here, if actions are allowed. */
  readonly action?: Action;
}

/** What is being wiped, drained, restored, made, grown or removed now. */
export interface Activity {
  readonly id: string;
  readonly job: Job;
  readonly kind: 'wipe' | 'drain' | 'restore' | 'export' | 'make' | 'grow' | 'remove' | 'scale' | 'rollout';
  readonly subject: string;
  /** `41 of 120 GiB`, `formatting`, … */
  readonly detail: string;
  /** 0 to 1, where it can be said. */
  readonly progress?: number;
  readonly secondsLeft?: number;
  readonly link?: string;
}

export interface JobStanding {
  readonly job: Job;
  readonly health: Health;
  /** `412 volumes labelled, 3 without a zone`. `not in use here` where nothing of it is found. */
  readonly sentence: string;
}

export interface Forecast {
  readonly pool: string;
  readonly usedPercent: number;
  readonly secondsToFull: number;
}

export interface Rpo {
  readonly sync: string;
  readonly mode: 'Protected' | 'Recovery';
  /** Of the newest complete export. */
  readonly exportedAt: string;
  /** When it was last said that this is still all that there is. */
  readonly confirmedAt?: string;
  readonly rtoSeconds?: number;
}

// ——— Volumes

export interface VolumeRow {
  readonly name: string;
  readonly health: Health;
  /** Why it is not well, or what is done with it, in a few words. */
  readonly note?: string;
  readonly phase: string;
  readonly capacityBytes: number;
  readonly claim?: string;
  readonly storageClass?: string;
  readonly zone?: string;
  readonly node?: string;
  /** Whose volume it is. */
  readonly source: 'device' | 'lvm' | 'pool' | 'other';
  readonly createdAt: string;
  /** Pods that use it now, by namespace/name; the first few. */
  readonly pods?: readonly string[];
  /** It is in an export, is meant to be in the next one, or was restored from one. */
  readonly sync?: 'exported' | 'to be exported' | 'restored';
}

/** A volume's whole story, asked for by itself. */
export interface VolumeStory {
  readonly row: VolumeRow;
  readonly facts: readonly Fact[];
  /** Oldest first: when it was made, bound, labelled, wiped, exported, … */
  readonly moments: readonly Moment[];
  readonly zoneWhy?: string;
  readonly needs: readonly Need[];
  readonly receipts: readonly WipeReceipt[];
  /** Those that hold it, newest first. */
  readonly exports: readonly ExportMark[];
  /** How many others there are in the object store that were not looked into. */
  readonly exportsNotLookedAt?: number;
  /** For those who want to see it all. */
  readonly yaml: string;
}

export interface Fact {
  readonly name: string;
  readonly value: string;
  readonly link?: string;
}

export interface Moment {
  readonly at: string;
  readonly what: string;
  readonly by?: string;
  readonly isWarning?: boolean;
  /** How often, where it is an Event that came again. */
  readonly times?: number;
}

export interface WipeReceipt {
  readonly at: string;
  readonly method: string;
  readonly bytes?: number;
  readonly verified?: boolean;
  readonly text: string;
}

export interface ExportMark {
  readonly sync: string;
  readonly key: string;
  readonly exportedAt: string;
}

// ——— Nodes

export interface NodeRow {
  readonly name: string;
  readonly zone?: string;
  readonly health: Health;
  readonly isReady: boolean;
  /** What people should know, each a sentence. */
  readonly remarks: readonly string[];
  readonly devices: readonly DeviceRow[];
  readonly groups: readonly GroupRow[];
  /** Logical volumes that are in none of its groups, because they are not made, or were refused. */
  readonly otherVolumes?: readonly LogicalVolumeRow[];
  /** When each of its agents was heard last. */
  readonly heard: { readonly devices?: string; readonly lvm?: string };
  /** Why the word of an agent does not count, each a sentence: what is shown of it may be otherwise. */
  readonly doubts?: { readonly devices?: string; readonly lvm?: string };
}

export interface DeviceRow {
  readonly path: string;
  readonly volume: string;
  readonly claim?: string;
  readonly sizeBytes?: number;
  readonly identity: string;
  readonly state: 'available' | 'bound' | 'new' | 'released' | 'wiping' | 'planned' | 'failed' | 'refused';
  /** The state in words. */
  readonly stands: string;
  readonly holds?: string;
  /** The first of its partitions, in the order in which they are on it. */
  readonly partitions?: readonly PartitionRow[];
  /** How many there are, also where they are not listed. */
  readonly partitionCount?: number;
  readonly progress?: number;
  readonly why?: string;
  readonly remedy?: string;
  readonly approve?: Action;
}

export interface PartitionRow {
  readonly name: string;
  readonly startBytes: number;
  readonly sizeBytes: number;
  /** What is built on it, in words. */
  readonly heldBy?: string;
}

export interface GroupRow {
  readonly name: string;
  readonly sizeBytes: number;
  readonly freeBytes: number;
  readonly missingDisks: number;
  readonly pools: readonly ThinPoolRow[];
  readonly volumes: readonly LogicalVolumeRow[];
}

export interface ThinPoolRow {
  readonly name: string;
  readonly sizeBytes: number;
  readonly promisedBytes: number;
  readonly dataPercent?: number;
  readonly metadataPercent?: number;
}

export interface LogicalVolumeRow {
  readonly volume: string;
  /** The thin pool that its space is promised in. */
  readonly pool?: string;
  readonly sizeBytes?: number;
  readonly claim?: string;
  readonly path?: string;
  readonly state: 'ready' | 'working' | 'removing' | 'waiting' | 'refused' | 'failed' | 'unreported';
  readonly stands: string;
}

// ——— Pools

export interface PoolRow {
  /** `namespace/name`. */
  readonly name: string;
  readonly health: Health;
  readonly phase: string;
  readonly wanted: number;
  readonly ready: number;
  readonly usedBytes?: number;
  readonly capacityBytes?: number;
  readonly usedPercent?: number;
  readonly agents: readonly AgentRow[];
  readonly secondsToFull?: number;
  readonly operation?: Activity;
  readonly cancel?: Action;
  readonly troubles: readonly string[];
  /** What was used when, since this console has looked: the chart. Oldest first, at most 240. */
  readonly history: readonly PoolSample[];
}

export interface PoolSample {
  readonly at: string;
  readonly usedBytes: number;
  readonly capacityBytes: number;
}

export interface AgentRow {
  readonly pod: string;
  readonly state: 'Initializing' | 'Ready' | 'Unknown' | 'Decommissioning' | 'Decommissioned';
  readonly isReady: boolean;
  readonly node?: string;
  readonly claim?: string;
  readonly capacityBytes?: number;
  readonly usedBytes?: number;
  /** Of the drain, 0 to 1, where the pool tells it of this agent. */
  readonly progress?: number;
}

// ——— Sync

export interface SyncRow {
  readonly name: string;
  readonly mode: 'Protected' | 'Recovery';
  readonly protectedCluster: string;
  readonly provider: string;
  readonly health: Health;
  readonly conditions: readonly ConditionRow[];
  readonly volumes: number;
  readonly claims: number;
  readonly newest?: {
    readonly key: string;
    readonly exportedAt: string;
    readonly confirmedAt?: string;
    readonly epoch?: number;
    readonly sequence?: number;
  };
  readonly rtoSeconds?: number;
  /** Exports that the object store has, drills that the sync tells of, and what this console has seen of all that and of restores; oldest first, at most 200. */
  readonly timeline: readonly SyncMoment[];
  readonly drill?: Action;
}

export interface ConditionRow {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly since: string;
}

export interface SyncMoment {
  readonly at: string;
  readonly kind: 'export' | 'restore' | 'drill' | 'refused' | 'deposed';
  readonly what: string;
  readonly succeeded: boolean;
  readonly seconds?: number;
}

/** What a recovery would do now, asked for by itself. */
export interface RecoveryPlan {
  readonly at: string;
  readonly export?: { readonly key: string; readonly exportedAt: string };
  readonly counts: {
    readonly create: number;
    readonly change: number;
    readonly delete: number;
    readonly refuse: number;
    readonly same: number;
  };
  /** The first 500 that are not the same. */
  readonly steps: readonly PlanStep[];
  /** Why there is none. */
  readonly problem?: string;
}

export interface PlanStep {
  readonly does: 'create' | 'change' | 'delete' | 'refuse';
  readonly kind: string;
  readonly name: string;
  /** Lines of a diff, each with `+`, `-` or a blank before it. */
  readonly diff?: readonly string[];
  readonly why?: string;
}

// ——— Actions

export type ActionName = 'approve-wipe' | 'start-drill' | 'cancel-drain';

/** Something that a person may do here, told before it is done. It is sent back as it is, with `confirmed`. */
export interface Action {
  readonly name: ActionName;
  /** What it is done to, with all that tells it from another: `{node, device, identity, …}`, `{sync}`, `{namespace, pool, generation, …}`. */
  readonly to: Readonly<Record<string, string>>;
  /** For the button. */
  readonly label: string;
  /** What will happen, as sentences. */
  readonly consequence: string;
  /** To be typed by the person before it is done, for what cannot be undone. */
  readonly confirmBy?: string;
}

/** What is posted: the action as it was told, with what the person typed where `confirmBy` asks for it, and true where nothing is to be typed. */
export type ConfirmedAction = Action & { readonly confirmed: string | true };

export interface ActionResult {
  readonly succeeded: boolean;
  /** What was done, or why not, as one sentence. */
  readonly sentence: string;
}

/** What is answered instead, with a status of 400 or more. */
export interface Problem {
  /** As one sentence, with what to do. */
  readonly problem: string;
}
