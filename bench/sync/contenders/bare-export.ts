/** The limit of exporting: somebody who has the same objects as text already puts them together and sends them by one bare PUT. */
import { Pool } from 'undici';
import { PERSISTENT_VOLUME_CLAIMS } from '../../../src/api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES } from '../../../src/api/persistent-volumes.ts';
import { STORAGE_CLASSES } from '../../../src/api/storage-classes.ts';
import type { KubeClient } from '../../../src/kit/kube/client.ts';
import type { KubeObject, Resource } from '../../../src/kit/kube/resource.ts';
import { SYNC_ENABLED, SYNC_LABEL } from '../../../src/sync/contract.ts';
import { captured } from '../../../src/sync/export/document.ts';
import { type Credentials, signedHeaders } from '../../../test/harness/sigv4.ts';
import type { Contend } from '../../measure/contender.ts';
import { type Access, kitConnection } from '../../world/access.ts';
import { BYTES, CHANGE, EXPORT, SECONDS } from './export.ts';

export interface BareExporting {
  readonly access: Access;
  readonly server: { readonly url: string; readonly credentials: Credentials };
  /** `/bucket/key`. */
  readonly path: string;
}

const SCOPE = `${SYNC_LABEL}=${SYNC_ENABLED}`;

const bareExporting: Contend<BareExporting> = async ({ access, server, path }, meter) => {
  const { client, close } = kitConnection(access);
  const lists = [
    ['storage_classes', await textsOf(client, STORAGE_CLASSES)],
    ['persistent_volumes', await textsOf(client, PERSISTENT_VOLUMES, SCOPE)],
    ['persistent_volume_claims', await textsOf(client, PERSISTENT_VOLUME_CLAIMS, SCOPE)],
  ] as const;
  await close();
  const pool = new Pool(server.url, { connections: 1, headersTimeout: 0, bodyTimeout: 0 });
  for (const phase of [EXPORT, CHANGE]) {
    const { seconds, bytes } = await meter.measure(phase, exportOnce);
    meter.count(SECONDS, seconds);
    meter.count(BYTES, bytes);
  }
  await pool.destroy();

  async function exportOnce(): Promise<{ readonly seconds: number; readonly bytes: number }> {
    const started = performance.now();
    const fields = lists.map(([name, texts]) => `"${name}":[${[...texts.values()].join(',')}]`);
    const body = Buffer.from(`{${fields.join(',')}}`);
    await put(body);
    return { seconds: (performance.now() - started) / 1000, bytes: body.length };
  }

  async function put(body: Buffer): Promise<void> {
    const { host } = new URL(server.url);
    const headers = { 'content-type': 'application/json' };
    const unsigned = { method: 'PUT', host, path, query: '', headers, body };
    const signed = signedHeaders(unsigned, server.credentials, new Date());
    const answer = await pool.request({ path, method: 'PUT', headers: signed, body });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`the PUT was answered by ${answer.statusCode}: ${text}`);
  }
};

async function textsOf<T extends KubeObject>(
  client: KubeClient,
  resource: Resource<T>,
  labelSelector = '',
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for await (const page of client.pages(resource, { labelSelector })) {
    for (const object of page)
      texts.set(`${object.metadata.namespace}/${object.metadata.name}`, captured(resource, object));
  }
  return texts;
}

export default bareExporting;
