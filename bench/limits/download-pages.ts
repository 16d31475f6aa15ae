/** The limit of reading a collection, in pages: each is downloaded, parsed and dropped. */
import type { Contend } from '../measure/contender.ts';
import { type Access, bareHeaders, barePool } from '../world/access.ts';

export interface Download {
  readonly access: Access;
  /** Of the collection. */
  readonly path: string;
  readonly pageSize?: number;
  readonly http2?: boolean;
}

const download: Contend<Download> = async ({ access, path, pageSize = 500, http2 = false }, meter) => {
  const pool = barePool(access, { connections: 1, http2 });
  const headers = bareHeaders(access);
  let objects = 0;
  await meter.measure('list', async () => {
    for (let token: string | undefined = ''; token !== undefined; ) {
      const from: string = token && `&continue=${token}`;
      const page = await pool.request({ path: `${path}?limit=${pageSize}${from}`, method: 'GET', headers });
      const list = (await page.body.json()) as { items: unknown[]; metadata: { continue?: string } };
      objects += list.items.length;
      token = list.metadata.continue;
    }
  });
  meter.count('objects', objects);
  await pool.destroy();
};

export default download;
