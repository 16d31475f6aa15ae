/** An original as it stands in a cluster: applied by kubectl, or installed by a chart of its own. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ControlPlane } from '../../harness/control-plane.ts';
import type { Installed } from '../../originals/originals.ts';
import { helm, type Rendered } from './helm.ts';
import { collectionOf } from './paths.ts';

/** The chart is written into the directory. */
export async function installOriginal(
  { admin, kubeconfig }: ControlPlane,
  directory: string,
  { namespace, release, objects: others, workload, beside = [] }: Installed,
): Promise<void> {
  const objects = [...others, workload];
  const isThere = (await admin.request('GET', `/api/v1/namespaces/${namespace}`)).status === 200;
  if (!isThere) await admin.post('/api/v1/namespaces', { metadata: { name: namespace } });
  const applied = release === undefined ? [...beside, ...objects] : beside;
  for (const object of applied) await admin.post(collectionOf(object, namespace), object);
  if (release === undefined) return;
  const chart = await chartOf(directory, release, objects);
  const { code, stderr } = await helm(['install', release, chart, '-n', namespace, '--kubeconfig', kubeconfig]);
  if (code !== 0) throw new Error(stderr);
}

async function chartOf(directory: string, name: string, objects: readonly Rendered[]): Promise<string> {
  const chart = join(directory, name);
  await mkdir(join(chart, 'templates'), { recursive: true });
  await writeFile(join(chart, 'Chart.yaml'), `apiVersion: v2\nname: ${name}\nversion: 0.1.0\n`);
  const documents = objects.map((object) => `---\n${JSON.stringify(object)}\n`).join('');
  await writeFile(join(chart, 'templates', 'objects.yaml'), documents);
  return chart;
}
