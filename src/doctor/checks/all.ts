/** Every check, in the order in which they are shown. */
import type { Cluster } from '../cluster.ts';
import type { Check } from '../finding.ts';
import type { Machine } from '../machine.ts';
import { clocksAgree } from './clock-skew.ts';
import { kindsAreAsDeclared } from './kinds.ts';
import {
  leasesAreHeld,
  noFinalizerOfGoneNodes,
  releasedVolumesAreRecycled,
  reportsAreOfLivingNodes,
  restoredVolumesHaveTheirSync,
} from './leftovers.ts';
import { everythingBelongsToAVolume, kernelHasItsModules, toolsAreInstalled } from './machine.ts';
import { policiesAreInForce } from './policies.ts';
import { accountsHaveTheirRights } from './rights.ts';
import { noOriginalHoldsItsLease, noOriginalWrites, oneWriterPerJob } from './two-writers.ts';
import { agentsAreOfThisVersion, serverIsNewEnough } from './versions.ts';

export const CLUSTER_CHECKS: readonly Check<Cluster>[] = [
  serverIsNewEnough,
  agentsAreOfThisVersion,
  clocksAgree,
  accountsHaveTheirRights,
  kindsAreAsDeclared,
  policiesAreInForce,
  oneWriterPerJob,
  noOriginalHoldsItsLease,
  noOriginalWrites,
  reportsAreOfLivingNodes,
  noFinalizerOfGoneNodes,
  releasedVolumesAreRecycled,
  leasesAreHeld,
  restoredVolumesHaveTheirSync,
];

export const MACHINE_CHECKS: readonly Check<Machine>[] = [
  toolsAreInstalled,
  kernelHasItsModules,
  everythingBelongsToAVolume,
];
