import { aClaim, aClass, aVolume } from '../objects.ts';
import { type Cases, get, mergePatch, post } from '../steps.ts';

const VOLUME = 'persistentvolumes/{case}';
const volume = (spec: object) => post('persistentvolumes', aVolume(spec as never));
const changed = (spec: object) => mergePatch(VOLUME, { spec });
const claim = (name: string, spec: object) => post('persistentvolumeclaims', aClaim(name, spec as never));
const changedClaim = (spec: object) => mergePatch('persistentvolumeclaims/a', { spec });
const requests = (storage: unknown) => ({ resources: { requests: { storage } } });

/** Volumes and claims: what they have to say, and what stays as it was said. */
export const volumes: Cases = {
  'a volume is given what it does not say': [post('persistentvolumes', aVolume()), get(VOLUME)],
  'a quantity is kept as it is commonly written': [
    volume({ capacity: { storage: '1024Mi' } }),
    changed({ capacity: { storage: '1.5Gi' } }),
    changed({ capacity: { storage: 2_000_000_000 } }),
    changed({ capacity: { storage: '1e9' } }),
    changed({ capacity: { storage: '0.1' } }),
  ],
  'a quantity has to be one': [
    volume({ capacity: { storage: 'much' } }),
    volume({ capacity: { storage: '1 Gi' } }),
    volume({ capacity: { storage: '' } }),
    volume({ capacity: { storage: true } }),
  ],
  'the rest of a volume may change': [
    post('persistentvolumes', aVolume()),
    changed({ capacity: { storage: '2Gi' }, persistentVolumeReclaimPolicy: 'Delete', storageClassName: 'fast' }),
    changed({ accessModes: ['ReadWriteMany', 'ReadOnlyMany'], mountOptions: ['noatime'] }),
    changed({ claimRef: { namespace: '{case}', name: 'a' } }),
    changed({ claimRef: null }),
  ],
  'a status tells the phase and since when': [
    post('persistentvolumes', aVolume()),
    mergePatch(`${VOLUME}/status`, { status: { phase: 'Available' } }),
    mergePatch(`${VOLUME}/status`, { status: { phase: 'Available', message: 'x' } }),
  ],
  'a claim is given what it does not say': [claim('a', {}), get('persistentvolumeclaims/a')],
  'a bound claim does not grow where its class does not let it': [
    post('storageclasses', aClass()),
    claim('a', { storageClassName: '{case}', volumeName: 'one' }),
    mergePatch('persistentvolumeclaims/a/status', { status: { phase: 'Bound' } }),
    changedClaim(requests('2Gi')),
  ],
};
