/** What each code of this job means, for people who meet it. */
import { type Explanation, explainedOf, failed, news, refused, waits } from '../kit/explanation.ts';
import { type EventReason, TOLD } from './events.ts';
import type { Fact } from './reasons.ts';

type ToldFact = 'TopologyConflict' | 'TopologyUnusable' | 'TopologyIncomplete' | 'TopologyTooLong' | 'TopologySkipped';

const TABLE: Readonly<Record<Fact | Exclude<EventReason, ToldFact> | 'podCannotBePlaced', Explanation>> = {
  alreadyRight: news('the volume has the labels that it should have', 'it was looked at, and nothing is to be changed'),
  accessModeIsLeftOut: news(
    'the volume has an access mode that --access-modes does not name',
    'the flag says which volumes are labelled, and this one is not among them',
    'If it is to be labelled, name all of its access modes in --access-modes of holdfast topology',
  ),
  volumeIsUnclaimed: waits(
    'no claim has the volume',
    'where a volume is, is learned from the pods that use it, and nobody can use this one yet',
  ),
  claimIsGone: waits(
    'the claim that the volume belongs to is gone, or another one has its name now',
    'the labels stay as they were: nobody uses the volume from whom a place could be learned',
  ),
  claimIsNotBound: waits(
    'the claim that the volume names is not bound to it',
    'until both name each other it is not certain that the pods of the claim use this volume',
    'If that stays so, look at both: kubectl describe pv and kubectl describe pvc',
  ),
  noPodUsesIt: waits(
    'no pod that has not ended mounts the claim of the volume',
    'where a volume is, is learned from the node of a pod that uses it',
  ),
  noPodIsReady: waits(
    'pods mount the volume, and none of them is ready',
    'a pod that is not ready may not have reached its volume, so its node proves nothing',
    'If that stays so, find out why the pod is not ready: kubectl describe pod',
  ),
  nodeIsGone: waits(
    'there is no node of the name that the ready pod has',
    'the node was removed, or has not been seen yet, so its zone is not known',
    'If the pod stays on a node that is gone, delete the pod',
  ),
  nodeHasNoTopology: refused(
    'the node has neither a zone nor a region',
    'there is nothing that could be taken over to the volume',
    'Label the node: kubectl label node NODE topology.kubernetes.io/zone=ZONE',
  ),
  nodeValueIsUnusable: refused(
    "the node's label cannot stand on a volume",
    'the value contains the separator of several zones, or is none that a label may have: the scheduler would misread it; or it is an empty zone or region',
    "Change the node's label",
  ),
  aUserWouldBeLeftOut: refused(
    'each label that could be written would keep one of the pods from its own node',
    'one of the nodes lacks the label that the others have, and the scheduler would not let its pod come back',
    'Give all nodes the same labels: kubectl label node',
  ),
  placesDoNotFit: refused(
    'a set of places is longer than a label may be',
    'half of a set would keep pods from nodes on which they run; zone and region are left out together, and every other label by itself',
    'Run holdfast topology with --multi-zone=first or --multi-zone=skip, or without this label in --label-keys',
  ),
  usedInSeveralPlaces: refused(
    'the volume is used in several places, and --multi-zone=skip leaves the label out that would name them',
    'that was chosen by the flag; zone and region are left out together, and every other label by itself',
    'Use --multi-zone=set to name them all, or --multi-zone=first to stay with the first; or label the volume yourself',
  ),
  anotherValueIsKept: refused(
    'a label has another value than the nodes say, and --overwrite=missing keeps it',
    'the flag says that what is there counts more, whoever has written it, Holdfast included; zone and region are kept together, since one of them beside another place would name a place that there is not',
    'Correct or remove the label yourself, or run holdfast topology with --overwrite=always',
  ),
  TopologyReplaced: news(
    'a value that somebody else had written was replaced',
    'the pods that use the volume run in another place than it said; the Event names who wrote it',
    'If the former value was right, find out why its pods run elsewhere; --overwrite=missing keeps such values',
  ),
  TopologyContested: refused(
    'somebody changes the labels of the volume again and again',
    'two writers that disagree would go on for ever, so the labels are put right after longer and longer pauses',
    'Find out who it is (kubectl get pv --show-managed-fields), or use --overwrite=missing',
  ),
  TopologyFailed: failed(
    'the volume could not be labelled',
    'the API server refused the write; the Event says why',
    'It is tried again. A Forbidden means that rights are missing: holdfast manifests rbac',
  ),
  TopologyMissing: refused(
    'a node has neither a zone nor a region',
    'the volumes of its pods get none from it',
    'Label it: kubectl label node NODE topology.kubernetes.io/zone=ZONE',
  ),
  podCannotBePlaced: refused(
    'a pod waits, and no node can take it because of where its volumes are',
    'no node that the pod may run on is in the zone of the volume, or its volumes are in different zones',
    'Bring a node into that zone, let the pod tolerate the nodes there, or correct the labels of the volume if they are wrong',
  ),
};

export const explained = explainedOf(TABLE, (code) => {
  const event = TOLD.get(code as Fact);
  return event === undefined ? [] : [event];
});

export const remedyOf = (code: keyof typeof TABLE): string => TABLE[code].remedy;
