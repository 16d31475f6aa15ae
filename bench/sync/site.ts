/** A cluster that takes part in a sync, and the store between two of them. */
import { FINALIZER, type SyncSpec } from '../../src/sync/contract.ts';
import type { ControlPlane } from '../../test/harness/control-plane.ts';
import { type S3Server, startS3Server } from '../../test/harness/s3-server.ts';
import { addSyncs, aSync, SYNCS } from '../../test/integration/sync/shipped.ts';
import { BUCKET, environmentOf, IN_SCOPE } from '../../test/integration/sync/world.ts';
import type { Access } from '../world/access.ts';
import { Pairs } from '../world/pairs.ts';
import { World } from '../world/world.ts';

/** What tells the job where its store is. */
export type Environment = Readonly<Record<string, string>>;

export interface Bucket extends AsyncDisposable {
  readonly server: S3Server;
  readonly environment: Environment;
}

/** Its objects are in memory: no disk hides what anybody else takes. */
export async function startBucket(): Promise<Bucket> {
  const server = await startS3Server();
  const { status, text } = await server.request({ method: 'PUT', path: `/${BUCKET}` });
  if (status !== 200) throw new Error(`the S3 server made no bucket: ${status}: ${text}`);
  return {
    server,
    environment: environmentOf(server),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

export class Site implements AsyncDisposable {
  readonly plane: ControlPlane;
  readonly access: Access;
  readonly #world: World;
  readonly #pairs: Pairs;

  private constructor(world: World, plane: ControlPlane, access: Access) {
    this.#world = world;
    this.plane = plane;
    this.access = access;
    this.#pairs = new Pairs(plane, IN_SCOPE);
  }

  static async start(): Promise<Site> {
    const world = new World();
    const plane = await world.plane();
    await addSyncs(plane);
    return new Site(world, plane, await world.access());
  }

  /** So many volumes in scope, each with its claim. */
  async growTo(volumes: number): Promise<void> {
    await this.#pairs.growTo(volumes);
  }

  /** The only resource, as if it had just been made, with the finalizer that the job would begin with. */
  async setResource(spec: Partial<SyncSpec>): Promise<void> {
    const { admin } = this.plane;
    if ((await admin.request('GET', `${SYNCS}/${NAME}`)).status === 200) {
      await admin.patch(`${SYNCS}/${NAME}`, { metadata: { finalizers: null } });
      await admin.delete(`${SYNCS}/${NAME}`);
    }
    const { metadata, ...rest } = aSync(NAME, spec);
    await admin.post(SYNCS, { ...rest, metadata: { ...metadata, finalizers: [FINALIZER] } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pairs[Symbol.asyncDispose]();
    await this.#world[Symbol.asyncDispose]();
  }
}

const NAME = 'bench';
