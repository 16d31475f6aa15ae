/**
 * The kind PvPool, as the API server knows it. The original's fields are as they were, and everything of ours may be left out: so
 * whatever worked with the original is taken. What never could work is refused at once, with the reason.
 */
import * as z from 'zod';
import type { CustomResource } from '../kit/manifests/crd.ts';
import { between, condition, dateTime, type FieldsOf, listMap, quantity, withRules } from '../kit/manifests/fields.ts';
import {
  CONDITIONS,
  DEFAULT_SCALE_DOWN_AFTER_SECONDS,
  DEFAULT_SCALE_UP_AFTER_SECONDS,
  DEFAULT_TARGET_USED_PERCENT,
  DEFAULT_TOLERANCE_PERCENT,
  LARGEST_PV_GB,
  MOST_PVS,
  type OperationMember,
  type PodInfo,
  PV_POOLS,
  type PvPoolSpec,
  type PvPoolStatus,
  RETENTIONS,
  SECURITY_CONTEXTS,
} from './contract.ts';

const percent = (message: string) => between(1, 99, message);

/** So long that it is a mistake: a day to grow, and four weeks to shrink. */
const [LONGEST_UP, LONGEST_DOWN] = [86_400, 2_419_200];

const seconds = (name: string, most: number) =>
  between(0, most, `${name} is a number of seconds, from 0 to ${most}`).optional();

const resources = z.object({
  requests: z.record(z.string(), quantity()).optional(),
  limits: z.record(z.string(), quantity()).optional(),
});

const retention = (when: string) =>
  z
    .enum(RETENTIONS)
    .optional()
    .describe(`What becomes of its claim, and so of its data, when ${when}. Retain if not said.`);

const autoscaling = withRules(
  z.object({
    minPVs: between(
      1,
      MOST_PVS,
      `minPVs has to be from 1 to ${MOST_PVS}: how much of a pool of none is used, nobody can tell`,
    ).describe('How many PVs there are at least.'),
    maxPVs: between(
      1,
      MOST_PVS,
      `maxPVs has to be from 1 to ${MOST_PVS}: more agents than that do not fit in one pool`,
    ).describe('How many PVs there are at most.'),
    targetUsedPercent: percent('targetUsedPercent has to be from 1 to 99')
      .optional()
      .describe(`The pool grows when more than this is used. ${DEFAULT_TARGET_USED_PERCENT} if not said.`),
    tolerancePercent: percent(
      'tolerancePercent has to be from 1 to 99: without any, the pool would shrink and grow by turns',
    )
      .optional()
      .describe(
        `It shrinks only if with one PV less it would still be so far below the target. ${DEFAULT_TOLERANCE_PERCENT} if not said.`,
      ),
    scaleUpAfterSeconds: seconds('scaleUpAfterSeconds', LONGEST_UP).describe(
      `For how long there has to be a reason to grow. ${DEFAULT_SCALE_UP_AFTER_SECONDS} if not said.`,
    ),
    scaleDownAfterSeconds: seconds('scaleDownAfterSeconds', LONGEST_DOWN).describe(
      `For how long there has to be a reason to shrink. ${DEFAULT_SCALE_DOWN_AFTER_SECONDS} if not said.`,
    ),
  } satisfies FieldsOf<NonNullable<PvPoolSpec['autoscaling']>>),
  {
    rule: 'self.minPVs <= self.maxPVs',
    message: 'minPVs must not be more than maxPVs: no number of PVs would be right',
    holds: ({ minPVs, maxPVs }) => minPVs <= maxPVs,
  },
  {
    rule: `(has(self.tolerancePercent) ? self.tolerancePercent : ${DEFAULT_TOLERANCE_PERCENT}) < (has(self.targetUsedPercent) ? self.targetUsedPercent : ${DEFAULT_TARGET_USED_PERCENT})`,
    message: 'tolerancePercent must be less than targetUsedPercent: the pool could never shrink',
    holds: ({ tolerancePercent = DEFAULT_TOLERANCE_PERCENT, targetUsedPercent = DEFAULT_TARGET_USED_PERCENT }) =>
      tolerancePercent < targetUsedPercent,
  },
);

const BANDWIDTH = /^[1-9][0-9]{0,14}([KMGT]i|[kMGT])?$/;

/**
 * Sixteen blobs are sent side by side, in pieces of 4 KiB at least. With much less than this it would not be the turn of each of them
 * within the minute after which one that stands still is given up, and the drain would never end.
 */
const FAST_ENOUGH = '^([0-9]{5,}|[0-9]{2,}(k|Ki)|[0-9]+[MGT]i?)$';

const spec = z
  .object({
    image: z.string().min(1).describe('The image of the storage agents.'),
    numPVs: between(
      0,
      MOST_PVS,
      `numPVs has to be from 0 to ${MOST_PVS}: there cannot be fewer than none, and more agents than that do not fit in one pool`,
    ).describe('How many storage agents there are, each with a PV of its own.'),
    pvSizeGB: withRules(
      between(
        1,
        LARGEST_PV_GB,
        `pvSizeGB has to be from 1 to ${LARGEST_PV_GB}: a volume cannot be smaller than nothing, and one of more than 64 TiB is a mistake`,
      ),
      {
        rule: 'self >= oldSelf',
        message: 'pvSizeGB cannot shrink: volumes only grow. Make a smaller pool beside this one, or lower numPVs',
      },
    ).describe('How large each PV is, in GiB. It can be raised where the storage class allows that.'),
    storageClass: z
      .string()
      .optional()
      .describe('The storage class of the PVs, for a pool that is made anew. Otherwise the default one.'),
    args: z
      .array(z.string())
      .max(64)
      .optional()
      .describe('Arguments of the container. The image of Holdfast needs storage-agent.'),
    resources: resources
      .optional()
      .describe('Of the container. Otherwise requests and limits of 100m CPU and 100M memory.'),
    securityContext: z
      .enum(SECURITY_CONTEXTS)
      .optional()
      .describe(
        'Restricted runs agents without any privilege, as user 65532; Image leaves it to the image. Otherwise Restricted for a pool that is made anew, and as it was for another.',
      ),
    claims: z
      .object({
        whenScaled: retention('an agent has been drained and removed'),
        whenDeleted: retention('the pool is deleted'),
      } satisfies FieldsOf<NonNullable<PvPoolSpec['claims']>>)
      .optional()
      .describe('What becomes of claims that nothing uses any more.'),
    autoscaling: autoscaling
      .optional()
      .describe('How many PVs there are follows from how much is used. numPVs is then only where it starts.'),
    drain: z
      .object({
        bandwidth: withRules(z.string().max(17).regex(BANDWIDTH), {
          rule: `self.matches('${FAST_ENOUGH}')`,
          message:
            'drain.bandwidth has to be 10k or more: with fewer bytes in a second, blobs are given up as standing still before they arrive, and the drain never ends',
          holds: (value) => new RegExp(FAST_ENOUGH).test(value),
        })
          .optional()
          .describe(
            'How many bytes per second an agent sends while it drains, such as 50Mi; 10k at least. Otherwise as fast as it can.',
          ),
      } satisfies FieldsOf<NonNullable<PvPoolSpec['drain']>>)
      .optional()
      .describe('How agents hand over what they hold before they leave.'),
  } satisfies FieldsOf<PvPoolSpec>)
  .describe('What the pool should be.');

const count = () => z.int32();
const bytes = () => z.int().min(0);

const operationMember = z.object({
  name: z.string(),
  podUid: z.string(),
  claimUid: z.string(),
  countsBlobs: z.boolean().optional(),
  claimReplaced: z.boolean().optional(),
} satisfies FieldsOf<OperationMember>);

const operation = z.object({
  kind: z.enum(['ScaleDown']),
  generation: z.int(),
  from: count(),
  to: count(),
  since: dateTime(),
  members: z.array(operationMember).max(MOST_PVS),
  drained: z.boolean().optional(),
  cancelling: z.boolean().optional(),
  progress: z.string().optional(),
} satisfies FieldsOf<NonNullable<PvPoolStatus['operation']>>);

const podInfo = z.object({
  podName: z.string(),
  podStatus: z.string(),
  capacityBytes: bytes().optional(),
  usedBytes: bytes().optional(),
  drain: z.object({ since: dateTime(), movedBytes: bytes(), leftBytes: bytes() }).optional(),
} satisfies FieldsOf<PodInfo>);

/** Phases and states are any text: an agent may say something that nobody knows. */
const status = z
  .object({
    phase: z.string().optional().describe('ScalingUp, ScalingDown, Ready or Unknown.'),
    podsInfo: z.array(podInfo).optional().describe('What each agent says of itself.'),
    countByState: z.record(z.string(), count()).optional().describe('How many agents are in which state.'),
    usedPercentage: z.int().optional().describe('How much of the whole pool is used.'),
    observedGeneration: z.int().optional(),
    conditions: listMap(condition(CONDITIONS), 'type').optional(),
    replicas: count().optional().describe('How many agents there are.'),
    readyReplicas: count().optional().describe('How many of them are ready.'),
    selector: z.string().optional().describe('The pods of the pool, for autoscalers.'),
    capacityBytes: bytes().optional().describe('How large the pool is.'),
    usedBytes: bytes().optional().describe('How much of it is used.'),
    forecast: z
      .object({ timeToFull: z.string() })
      .optional()
      .describe('When the pool will be full if it goes on as in the recent past.'),
    operation: operation.optional().describe('The scale down that runs.'),
    lastGeneration: z.int().optional(),
    cancelledGeneration: z.int().optional(),
    autoscaling: z.object({ desiredPVs: count(), lastScaleTime: dateTime().optional() }).optional(),
  } satisfies FieldsOf<PvPoolStatus>)
  .describe('What the pool is. Written by the operator.');

/** A pod's label has the name of the StatefulSet, a dash and ten characters in it, and 63 at most. */
const LONGEST_NAME = 48;

export const pvPoolResource: CustomResource = {
  resource: PV_POOLS,
  description: 'A pool of storage agents, each with a PersistentVolume of its own.',
  spec,
  status,
  scale: {
    specReplicasPath: '.spec.numPVs',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  },
  printerColumns: [
    {
      name: 'Number of PVs',
      type: 'number',
      jsonPath: '.spec.numPVs',
      description: 'Number of PVs in the pool',
    },
    { name: 'PV Size GB', type: 'number', jsonPath: '.spec.pvSizeGB', description: 'Min PV size in GB' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase', description: 'Phase' },
    {
      name: 'Used %',
      type: 'integer',
      jsonPath: '.status.usedPercentage',
      description: 'How much of the pool is used',
    },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    {
      name: 'Operation',
      type: 'string',
      jsonPath: '.status.operation.progress',
      description: 'How far the scale down is that runs',
      priority: 1,
    },
  ],
  rules: [
    {
      rule: `self.metadata.name.size() <= ${LONGEST_NAME} && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')`,
      message: `the name of a pool has ${LONGEST_NAME} characters at most, begins with a letter, and has only small letters, digits and - in it: its Service and its pods are named after it`,
    },
  ],
};
