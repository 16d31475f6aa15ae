/**
 * The kind PersistentVolumeSync, as the API server knows it. The original's fields are as they were, and everything of ours may be left
 * out. What never could work is refused at once, with the reason.
 */
import * as z from 'zod';
import type { CustomResource } from '../kit/manifests/crd.ts';
import { between, condition, dateTime, type FieldsOf, listMap, withRules } from '../kit/manifests/fields.ts';
import {
  BINDINGS,
  COMPRESSIONS,
  CONDITIONS,
  DEFAULT_DELETION_COUNT,
  DEFAULT_DELETION_PERCENT,
  DEFAULT_POLLING_SECONDS,
  ENCRYPTIONS,
  MODES,
  MOST_DRILLS,
  MOST_MANAGED_VOLUMES,
  PERSISTENT_VOLUME_SYNCS,
  PROVIDERS,
  type SeenExport,
  type SeenExports,
  SHORT_NAME,
  type SyncSpec,
  type SyncStatus,
} from './contract.ts';

const CLUSTER = '^[A-Za-z0-9]([-A-Za-z0-9._]{0,98}[A-Za-z0-9])?$';
/** A hundred years, and a day between two looks. */
const [LONGEST_RETENTION, LONGEST_POLLING] = [36_500, 86_400];
const MOST_RULES = 256;

const rewrites = (what: string, how: string) =>
  z
    .array(z.object({ from: z.string().min(1).max(1024), to: z.string().min(1).max(1024) }))
    .max(MOST_RULES)
    .optional()
    .describe(`${what} that is called otherwise here. Of several rules the first whose from ${how} is taken.`);

const mappings = z.object({
  storageClasses: rewrites('A StorageClass', 'is its name'),
  nfsServers: rewrites('A server of NFS', 'it is, or begins with up to a dot'),
  nfsPaths: rewrites('A path of NFS', 'it is, or begins with up to a slash'),
  csiDrivers: rewrites('A driver of CSI', 'it is, or begins with up to a dot'),
  csiVolumeHandles: rewrites('A handle of CSI', 'it is, or begins with up to the end of a word'),
} satisfies FieldsOf<NonNullable<SyncSpec['mappings']>>);

const massDeletion = z.object({
  moreThan: between(0, 1_000_000, 'moreThan is a number of volumes, from 0 to 1000000')
    .optional()
    .describe(`A pass that would delete more volumes than this… ${DEFAULT_DELETION_COUNT} if not said.`),
  morePercentThan: between(0, 100, 'morePercentThan is a percentage, from 0 to 100')
    .optional()
    .describe(`…and more than this share of the restored ones is refused. ${DEFAULT_DELETION_PERCENT} if not said.`),
} satisfies FieldsOf<NonNullable<SyncSpec['massDeletion']>>);

const spec = z
  .object({
    protectedCluster: withRules(z.string().max(100), {
      rule: `self.matches('${CLUSTER}')`,
      message: 'protectedCluster has letters, digits, - . and _ in it, and begins and ends with a letter or digit',
      holds: (value) => new RegExp(CLUSTER).test(value),
    }).describe('The name of the protected cluster, which its exports are kept under. In lower case in the store.'),
    mode: z.enum(MODES).describe('Protected exports the volumes of this cluster, Recovery restores what was exported.'),
    cloudProvider: withRules(z.string().max(16), {
      rule: `self.lowerAscii() in [${PROVIDERS.map((each) => `'${each}'`).join(', ')}]`,
      message: `cloudProvider is one of ${PROVIDERS.join(', ')}`,
      holds: (value) => PROVIDERS.some((each) => each === value.toLowerCase()),
    }).describe('Where exports are kept: azure, s3, or file for a directory. Credentials are in the environment.'),
    retention: between(1, LONGEST_RETENTION, `retention is a number of days, from 1 to ${LONGEST_RETENTION}`).describe(
      'For how many days an export stays after another one has taken its place. The newest one always does.',
    ),
    pollingInterval: between(1, LONGEST_POLLING, `pollingInterval is a number of seconds, from 1 to ${LONGEST_POLLING}`)
      .optional()
      .describe(`How often to look for a new export. ${DEFAULT_POLLING_SECONDS} if not said.`),
    compression: z
      .enum(COMPRESSIONS)
      .optional()
      .describe('None if not said. The original can read nothing that is compressed.'),
    encryption: z
      .enum(ENCRYPTIONS)
      .optional()
      .describe('With the key in the environment. None if not said. The original can read nothing that is encrypted.'),
    signed: z
      .boolean()
      .optional()
      .describe('Sign what is exported; restore only what a trusted key has signed. The keys are in the environment.'),
    binding: z
      .enum(BINDINGS)
      .optional()
      .describe(
        'Pair restores claims with the volumes that they had; Local leaves all claims to the StorageClasses of this cluster. Pair if not said.',
      ),
    dryRun: z
      .boolean()
      .optional()
      .describe(
        'Say what would be restored, and write nothing but what releases: owner references of the original are taken off.',
      ),
    allowMassDeletion: z
      .boolean()
      .optional()
      .describe('Delete what is no longer exported, however much that is. False if not said.'),
    massDeletion: massDeletion.optional().describe('How much is too much to be deleted at once.'),
    allowNodeVolumes: z
      .boolean()
      .optional()
      .describe('Restore hostPath and local volumes, too, whose paths are on nodes of another cluster.'),
    mappings: mappings.optional().describe('What is called otherwise at this site.'),
  } satisfies FieldsOf<SyncSpec>)
  .describe('What is to be carried, from where to where.');

const exported = z.object({
  key: z.string(),
  sha256: z.string(),
  exportedAt: dateTime(),
  epoch: z.int().optional(),
  sequence: z.int().optional(),
  confirmedAt: dateTime().optional(),
} satisfies FieldsOf<NonNullable<SyncStatus['export']>>);

const seen = z.object({
  cluster: z.string(),
  pointer: z.boolean(),
  newest: z
    .object({
      key: z.string(),
      sha256: z.string(),
      epoch: z.int().optional(),
      sequence: z.int().optional(),
      manifestSha256: z.string().optional(),
    } satisfies FieldsOf<SeenExport>)
    .optional(),
} satisfies FieldsOf<SeenExports>);

const drill = z.object({
  at: dateTime(),
  seconds: z.number(),
  volumes: z.int(),
  claims: z.int(),
  succeeded: z.boolean(),
  message: z.string().optional(),
} satisfies FieldsOf<NonNullable<SyncStatus['lastDrill']>>);

const status = z
  .object({
    succeeded: z.boolean().optional().describe('Whether the last run did all that it had to.'),
    errorMessage: z.string().optional().describe('Why it did not.'),
    lastRun: dateTime().optional().describe('When it was.'),
    managedVolumes: z
      .array(z.string())
      .max(MOST_MANAGED_VOLUMES)
      .optional()
      .describe(`The volumes that are exported or were restored: ${MOST_MANAGED_VOLUMES} of them at most.`),
    managedVolumeCount: z.int().optional().describe('How many there are in all.'),
    managedClaimCount: z.int().optional(),
    observedGeneration: z.int().optional(),
    conditions: listMap(condition(CONDITIONS), 'type').optional(),
    export: exported.optional().describe('The newest complete export: what was written, or what was restored.'),
    fenced: z.boolean().optional().describe('Whether the store keeps two writers apart by conditional writes.'),
    pointerSeen: z.boolean().optional(),
    seen: seen
      .optional()
      .describe('What was seen of the exports last, restored or not. Nothing older is believed after it.'),
    rpoSeconds: z.int().optional().describe('How old the newest complete export was at the last run.'),
    rtoSeconds: z
      .number()
      .optional()
      .describe(
        'How long the last restore of a whole export from nothing, or the last drill, took, with reading and verifying it.',
      ),
    lastDrill: drill.optional(),
    drills: z
      .array(drill)
      .max(MOST_DRILLS)
      .optional()
      .describe(`The last drills, oldest first: ${MOST_DRILLS} of them at most.`),
  } satisfies FieldsOf<SyncStatus>)
  .describe('What was done, and what is wrong. Written by the operator.');

/** It is the value of a label. */
const LONGEST_NAME = 63;

export const persistentVolumeSyncResource: CustomResource = {
  resource: PERSISTENT_VOLUME_SYNCS,
  description: 'Carries the definitions of volumes and claims from a protected cluster to a recovery cluster.',
  spec,
  status,
  shortNames: [SHORT_NAME],
  printerColumns: [
    { name: 'Cluster', type: 'string', jsonPath: '.spec.protectedCluster' },
    { name: 'Mode', type: 'string', jsonPath: '.spec.mode' },
    { name: 'Succeeded', type: 'boolean', jsonPath: '.status.succeeded' },
    { name: 'Volumes', type: 'integer', jsonPath: '.status.managedVolumeCount' },
    { name: 'RPO s', type: 'integer', jsonPath: '.status.rpoSeconds', description: 'Age of the newest export' },
    { name: 'Last run', type: 'date', jsonPath: '.status.lastRun' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    { name: 'Error', type: 'string', jsonPath: '.status.errorMessage', priority: 1 },
  ],
  rules: [
    {
      rule: `self.metadata.name.size() <= ${LONGEST_NAME} && self.metadata.name.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')`,
      message: `the name has ${LONGEST_NAME} characters at most: it is the value of a label on all that is restored`,
    },
  ],
};
