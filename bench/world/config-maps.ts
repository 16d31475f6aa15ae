/** Small objects to read and to change. */
import type { ControlPlane } from '../../test/harness/control-plane.ts';

const COLLECTION = '/api/v1/namespaces/default/configmaps';

export const configMapName = (index: number): string => `bench-${index}`;
export const configMapPath = (index: number): string => `${COLLECTION}/${configMapName(index)}`;

/** Makes sure that the first `count` of them exist. */
export async function makeConfigMaps({ admin }: ControlPlane, count: number): Promise<void> {
  const indexes = Array.from({ length: count }, (_, index) => index);
  await Promise.all(
    indexes.map((index) =>
      admin.request('POST', COLLECTION, { metadata: { name: configMapName(index) }, data: { text: 'x'.repeat(500) } }),
    ),
  );
}
