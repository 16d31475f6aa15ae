/** For tests: the life of a pool from its making over growing, shrinking and a new image, and what is to be seen of it at every station. */
import { CANCEL_ANNOTATION } from './contract.ts';
import { SimulatedCluster } from './simulated-cluster.ts';

/** Gives back what was to be seen at each station. Whenever the operator dies, the next one goes on. */
export async function story(cluster: SimulatedCluster): Promise<readonly object[]> {
  const pictures: object[] = [];
  const station = async (name: string, pods: number) => {
    if (!(await cluster.untilReadyWith(pods, 400))) throw new Error(`${name}: ${cluster.says('Ready')}`);
    await cluster.pass(5);
    pictures.push(pictureOf(name, cluster));
  };
  cluster.declare({ numPVs: 2, claims: { whenScaled: 'Delete', whenDeleted: 'Delete' } });
  await station('made', 2);
  cluster.write(6);
  cluster.respec({ numPVs: 4 });
  await station('larger', 4);
  cluster.write(12);
  cluster.respec({ numPVs: 2 });
  await station('smaller', 2);
  cluster.respec({ image: 'holdfast:2', pvSizeGB: 2 });
  await station('renewed and grown', 2);
  cluster.respec({ numPVs: 1 });
  await cluster.until(() => cluster.pool.status?.operation !== undefined);
  cluster.annotate({ [CANCEL_ANNOTATION]: '' });
  await cluster.until(() => cluster.pool.status?.operation === undefined);
  await station('cancelled, or too late for that', cluster.set?.spec?.replicas ?? 0);
  return pictures;
}

/** Everything that people can see, without what differs from one process to the next. */
function pictureOf(station: string, { pool, set, pods, claims, api, lost, stored }: SimulatedCluster): object {
  return {
    station,
    phase: pool.status?.phase,
    conditions: pool.status?.conditions?.map(({ type, status, reason }) => `${type} ${status} ${reason}`),
    operation: pool.status?.operation,
    annotations: pool.metadata.annotations ?? {},
    replicas: set?.spec?.replicas,
    image: set?.spec?.template?.spec?.containers?.[0]?.image,
    partition: set?.spec?.updateStrategy?.rollingUpdate?.partition,
    pods: pods.map(({ metadata }) => metadata.name).sort(),
    claims: claims
      .map(
        ({ metadata, spec }) =>
          `${metadata.name} ${spec?.resources?.requests?.storage} ${metadata.ownerReferences?.length ?? 0}`,
      )
      .sort(),
    others: ['services', 'secrets', 'poddisruptionbudgets'].flatMap((kind) =>
      api.all(kind).map(({ metadata }) => metadata.name),
    ),
    lost,
    stored: stored.size,
  };
}

/** Undisturbed. */
export async function rehearsed(): Promise<{
  readonly pictures: readonly object[];
  readonly cluster: SimulatedCluster;
}> {
  const cluster = new SimulatedCluster();
  return { pictures: await story(cluster), cluster };
}
