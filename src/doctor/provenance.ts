/** Which version of Holdfast wrote an object of a release, by the label that the chart puts on all of them. */
import type { KubeObject } from '../kit/kube/resource.ts';
import type { Finding } from './finding.ts';

const VERSION_LABEL = 'app.kubernetes.io/version';

/** Nothing where it is not told: what `holdfast manifests` writes has no such label. */
export const versionOf = ({ metadata }: KubeObject): string | undefined => metadata.labels?.[VERSION_LABEL];

/** What another version wrote is right as that one has it: to put it as ours would take away what the other relies on. */
export function ofAnother(found: KubeObject, version: string): string | undefined {
  const theirs = versionOf(found);
  return theirs === version ? undefined : theirs;
}

/** The object as it is to be, only if it is still the one that was looked at. */
export const asSeen = (found: KubeObject, spec: object): KubeObject => {
  const { name = '', uid = '', resourceVersion = '' } = found.metadata;
  return { metadata: { name, uid, resourceVersion }, ...{ spec } };
};

/** A finding on what another version wrote, which that one has to put right, or an upgrade. */
export const byAnother = (finding: Finding, theirs: string): Finding => ({
  ...finding,
  evidence: `${finding.evidence}; version ${theirs} wrote it`,
  remedy: `If ${theirs} is what is to run, look with holdfast ${theirs}; otherwise upgrade the release: helm upgrade writes it anew`,
});
