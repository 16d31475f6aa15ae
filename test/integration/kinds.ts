/** Makes kinds of objects of ours known to a real API server, as they are shipped. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import type { ControlPlane } from '../harness/control-plane.ts';
import { eventually } from '../harness/wait.ts';

const DEPLOY = join(import.meta.dirname, '../../deploy');
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const POLICIES = '/apis/admissionregistration.k8s.io/v1';

/** Waits until the collection is served. */
export async function addKind(plane: ControlPlane, name: string, collection: string): Promise<void> {
  await plane.admin.post(CRDS, parse(await readFile(join(DEPLOY, `crds/${name}.yaml`), 'utf8')));
  await eventually(async () => (await plane.admin.request('GET', collection)).status === 200, {
    for: `${name} to be served`,
  });
}

/** Puts the policies and bindings of a job in force. It takes the server a moment to know them. */
export async function addPolicies(plane: ControlPlane, job: string): Promise<void> {
  const text = await readFile(join(DEPLOY, `admission/holdfast-${job}.yaml`), 'utf8');
  for (const document of parseAllDocuments(text)) {
    const object = document.toJS() as { readonly kind: string };
    const plural = object.kind === 'ValidatingAdmissionPolicy' ? 'validatingadmissionpolicies' : BINDINGS;
    await plane.admin.post(`${POLICIES}/${plural}`, object);
  }
}

const BINDINGS = 'validatingadmissionpolicybindings';
