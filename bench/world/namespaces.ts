/** The namespaces that pods and claims are in. */
import type { ControlPlane } from '../../test/harness/control-plane.ts';
import { NAMESPACES, podNamespace } from './pod.ts';

/** Makes sure that they exist. */
export async function makeNamespaces({ admin }: ControlPlane): Promise<void> {
  for (let each = 0; each < NAMESPACES; each++) {
    await admin.request('POST', '/api/v1/namespaces', { metadata: { name: podNamespace(each) } });
  }
}
