/** The kinds of the Prometheus operator, as far as that they are there. */
import { expect } from 'vitest';
import type { ControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../../harness/wait.ts';

export async function addMonitoringKinds(plane: ControlPlane): Promise<void> {
  for (const kind of ['ServiceMonitor', 'PrometheusRule']) await addMonitoringKind(plane, kind);
}

async function addMonitoringKind({ admin }: ControlPlane, kind: string): Promise<void> {
  const plural = `${kind.toLowerCase()}s`;
  await admin.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: `${plural}.monitoring.coreos.com` },
    spec: {
      group: 'monitoring.coreos.com',
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  });
  const path = `/apis/monitoring.coreos.com/v1/${plural}`;
  await eventually(async () => expect((await admin.request('GET', path)).status).toBe(200));
}
