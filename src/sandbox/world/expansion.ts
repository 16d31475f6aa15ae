/** Volumes that were made by the provisioner of the world grow when their claim asks for more and their class lets it. */

import { Quantity } from '../../kit/quantity.ts';
import { PROVISIONED_BY } from './binder.ts';
import { requestOf } from './matching.ts';
import { PROVISIONER } from './provisioner.ts';
import { CLAIMS, CLASSES, VOLUMES } from './resources.ts';
import { Told } from './told.ts';
import { Upkeep, type WorldParts } from './upkeep.ts';

export class Expansion {
  readonly #parts: WorldParts;
  readonly #told: Told;
  readonly #claims: Upkeep;

  constructor(parts: WorldParts) {
    this.#parts = parts;
    this.#told = new Told(parts, `external-resizer ${PROVISIONER}`);
    this.#claims = new Upkeep(parts, (key) => this.#look(key)).watch(CLAIMS, (_, key) => [key]);
  }

  stop(): void {
    this.#claims.stop();
  }

  #look(key: string): void {
    const { objects } = this.#parts;
    const claim = objects.get(CLAIMS, key);
    const volume = objects.get(VOLUMES, claim?.spec?.volumeName ?? '');
    if (!claim || !volume || claim.status?.phase !== 'Bound') return;
    const wanted = requestOf(claim);
    const isEnough = wanted.compare(Quantity.parse(claim.status.capacity?.storage ?? '0')) <= 0;
    const storageClass = objects.get(CLASSES, claim.spec?.storageClassName ?? '');
    const isOurs = volume.metadata.annotations?.[PROVISIONED_BY] === PROVISIONER;
    if (isEnough || !isOurs || !storageClass?.allowVolumeExpansion) return;
    const capacity = { storage: wanted.toString() };
    objects.update(VOLUMES, { ...volume, spec: { ...volume.spec, capacity } });
    objects.update(CLAIMS, { ...claim, status: { ...claim.status, capacity } }, 'status');
    this.#told.tell(CLAIMS, claim, {
      type: 'Normal',
      reason: 'FileSystemResizeSuccessful',
      note: 'MountVolume.NodeExpandVolume succeeded for volume',
    });
  }
}
