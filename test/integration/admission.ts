/** What the tests of the policies of all jobs ask of a real API server. */
import { expect } from 'vitest';
import type { ReportMap } from '../../src/kit/reports/node-reports.ts';
import type { RawClient, RawObject } from '../harness/raw-client.ts';
import { eventually } from '../harness/wait.ts';
import { type AgentRights, configMapsIn } from './agents.ts';

/** Of agents that nothing but the policies limits. */
export const WIDE: AgentRights = {
  clusterRules: [
    { apiGroups: [''], resources: ['persistentvolumes', 'persistentvolumes/status', 'configmaps'], verbs: ['*'] },
  ],
};

export type IsForbidden = (write: Promise<unknown>, sentence: string) => Promise<void>;

/** Refused by a policy of the job, not for want of a right. */
export const forbiddenBy =
  (job: string): IsForbidden =>
  async (write, sentence) => {
    const refusal = await write.then(
      () => 'it was allowed',
      (error: Error) => error.message,
    );
    expect(refusal).toContain('answered 403');
    expect(refusal).toContain(`ValidatingAdmissionPolicy 'holdfast-${job}-`);
    expect(refusal).toContain(sentence);
  };

/** It is refused, nothing has changed, and it is nothing that nobody could do. */
export async function changeIsForbidden(
  isForbidden: IsForbidden,
  { admin, agent }: { readonly admin: RawClient; readonly agent: RawClient },
  { path, change, sentence }: { readonly path: string; readonly change: object; readonly sentence: string },
): Promise<void> {
  const before = await admin.get(path);
  await isForbidden(agent.patch(path, change), sentence);
  expect(await admin.get(path)).toEqual(before);
  await admin.patch(path, change);
}

/** As the agents of the job write their reports. */
export const applyingBy =
  (fieldManager: string) =>
  (client: RawClient, { metadata, data }: ReportMap): Promise<RawObject> =>
    client.patch(
      `${configMapsIn(metadata.namespace ?? '')}/${metadata.name}?fieldManager=${fieldManager}&force=true`,
      { apiVersion: 'v1', kind: 'ConfigMap', metadata, data },
      'apply',
    );

/** Which takes controllers that know the types of objects. */
export async function hasNoWarnings(admin: RawClient, policies: number): Promise<void> {
  const path = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
  await eventually(async () => {
    const { items } = await admin.list<RawObject & { status?: object }>(path);
    const checked = { observedGeneration: 1, typeChecking: {} };
    expect(items.map(({ status }) => status)).toEqual(Array.from({ length: policies }, () => checked));
  });
}
